import type { Access } from '../access.js';
import { text } from '../kinds.js';
import type { Method, OwnerService } from '../operation.js';
import type { TusExtension, UploadType } from './upload.js';

export interface TusUploads {
  service: OwnerService;
  /** Public path: `/v2.0/uploads`. */
  path: string;
  /** Path at the owner: `/internal/uploads`. On both sides, the id of an upload follows it. */
  ownerPath: string;
  access: Access;
  limitBytes: number;
  extensions: readonly TusExtension[];
}

const CHUNK = 'application/offset+octet-stream';

/**
 * Returns the settings that upload rows share, one set for each method of tus 1.0.0; each row adds its name, summary
 * and problems. `create` also accepts a form (`multipart/form-data`), so its row adds the answer and an example.
 */
export function tusVerbs({ service, path, ownerPath, access, limitBytes, extensions }: TusUploads) {
  const rest = { access, price: { per: 'free' } } as const;
  const uploadOf = (...types: UploadType[]) => ({
    types,
    limitBytes: types.length > 0 ? limitBytes : 0,
    tus: extensions,
  });
  const verb = <const M extends Method, const S extends 200 | 204>(
    method: M,
    status: S,
    ...types: UploadType[]
  ) => ({
    ...rest,
    method,
    routes: [{ path: `${path}/{id}`, version: 2 }] as const,
    owner: { service, path: `${ownerPath}/{id}` },
    parameters: UPLOAD_ID,
    upload: uploadOf(...types),
    answers: [{ type: 'none', status }] as const,
    examples: [{ title: 'One upload', parameters: { id: UPLOAD_ID.id.example }, answer: {} }],
  });
  return {
    create: {
      ...rest,
      method: 'POST',
      routes: [{ path, version: 2 }],
      owner: { service, path: ownerPath },
      parameters: {},
      upload: uploadOf('multipart/form-data', CHUNK),
    },
    state: verb('HEAD', 200),
    append: verb('PATCH', 204, CHUNK),
    remove: verb('DELETE', 204),
  } as const;
}

/** The id is a part of the upload's address, as tus requires. */
export const UPLOAD_ID = {
  id: {
    kind: text(100, { pattern: /^[A-Za-z0-9_-]+$/, rule: 'must be the id of an upload' }),
    about: 'Id of the upload',
    example: '019a5f00-0000-7000-8000-000000000001',
    in: 'path',
  },
} as const;
