import type { JsonSchema } from '../parameter.js';
import { type AnswerForm, type Operation, kindOf } from '../operation.js';
import { type OperationUpload, TUS_VERSION } from '../transfers/upload.js';

/** A parameter or header as OpenAPI describes it. */
export interface DescribedParameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}

const BYTES: JsonSchema = { type: 'string', format: 'binary' };
const COUNT: JsonSchema = { type: 'string', pattern: '^[0-9]+$' };
const TEXT: JsonSchema = { type: 'string' };

const RANGE = header('Range', 'Part of the file to return: `bytes=0-1023`', TEXT);
const IF_RANGE = header(
  'If-Range',
  'ETag of the earlier part; if the file has changed, the whole file is returned',
  TEXT,
);
const IF_NONE_MATCH = header(
  'If-None-Match',
  'ETag of your copy; 304 if the file is unchanged',
  TEXT,
);
const RESUMABLE: DescribedParameter = {
  ...header('Tus-Resumable', 'Version of the tus protocol', { const: TUS_VERSION }),
  example: TUS_VERSION,
};
const OFFSET = header('Upload-Offset', 'Number of bytes already stored', COUNT);
const LENGTH = header('Upload-Length', 'Size of the whole file in bytes', COUNT);
const METADATA = header(
  'Upload-Metadata',
  'Comma-separated pairs of a name and a Base64 value',
  TEXT,
);

function header(name: string, description: string, schema: JsonSchema): DescribedParameter {
  return { name, in: 'header', required: false, description, schema };
}

export function transferParameters(operation: Operation): DescribedParameter[] {
  const { method, upload } = operation;
  if (kindOf(operation) === 'download') return [RANGE, IF_RANGE, IF_NONE_MATCH];
  if (!upload?.tus) return [];
  // A form is sent without these headers, and an upload can be deleted without them.
  const required = method !== 'DELETE' && !upload.types.includes('multipart/form-data');
  const resumable = { ...RESUMABLE, required };
  if (method === 'POST') return [resumable, LENGTH, METADATA];
  return method === 'PATCH' ? [resumable, { ...OFFSET, required, example: '0' }] : [resumable];
}

/** Returns the body of an upload; for tus, `POST` may have none. */
export function uploadBody({ types, tus }: OperationUpload): object {
  const file = { type: 'object', properties: { file: BYTES }, required: ['file'] };
  const content = types.map((type) => [
    type,
    { schema: type === 'multipart/form-data' ? file : BYTES },
  ]);
  return {
    required: !tus || types.length === 1,
    content: Object.fromEntries(content) as object,
  };
}

export function transferHeaders({ method, upload }: Operation): Record<string, object> {
  if (!upload?.tus) return {};
  const offset = { 'Upload-Offset': { description: 'Number of bytes stored', schema: COUNT } };
  return {
    'Tus-Resumable': { description: 'Version of the tus protocol', schema: TEXT },
    ...(method === 'POST' && {
      Location: {
        description: 'URL of the upload',
        schema: { type: 'string', format: 'uri-reference' },
      },
    }),
    ...(method !== 'DELETE' && offset),
    ...(method === 'HEAD' && {
      'Upload-Length': { description: 'Size of the whole file in bytes', schema: COUNT },
    }),
  };
}

/** Returns the answers of a download: a file, a part of it, 304, or a redirect. */
export function fileAnswers(
  { mediaTypes }: Extract<AnswerForm, { type: 'file' }>,
  known: object,
): Record<string, object> {
  const content = Object.fromEntries(mediaTypes.map((type) => [type, { schema: BYTES }]));
  const tag = { ETag: { description: 'ETag of this content', schema: TEXT } };
  const headers = {
    ...known,
    ...tag,
    'Accept-Ranges': { description: '`bytes` if the file can be requested in parts', schema: TEXT },
    'Content-Disposition': { description: 'The name of the file', schema: TEXT },
  };
  const range = { 'Content-Range': { description: 'The range of this part', schema: TEXT } };
  const to = { Location: { schema: { type: 'string', format: 'uri' } } };
  return {
    200: { description: 'The file', headers, content },
    206: {
      description: 'The requested part of the file',
      headers: { ...headers, ...range },
      content,
    },
    302: { description: 'Redirect to the file', headers: { ...known, ...to } },
    304: { description: 'The file is unchanged', headers: { ...known, ...tag } },
  };
}
