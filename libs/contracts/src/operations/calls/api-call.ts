import {
  type Method,
  type Operation,
  type OperationRoute,
  kindOf,
  newestVersion,
} from '../operation.js';
import { TUS_VERSION, type UploadType } from '../transfers/upload.js';

/** A complete API call, except for the key. */
export interface ApiCall {
  method: Method;
  url: string;
  /** The headers, except the header for the key. */
  headers: Readonly<Record<string, string>>;
  json?: string;
  /** Only for a call whose body is a file. */
  upload?: UploadType;
  isDownload: boolean;
  needsKey: boolean;
}

export interface CallInput {
  values: Readonly<Record<string, string>>;
  body?: object;
  /** The newest version by default. */
  route?: OperationRoute;
}

/** Returns the call for an operation. @param apiUrl origin of the API. */
export function apiCallOf(apiUrl: string, row: Operation, input: CallInput): ApiCall {
  const { values, body } = input;
  const newest = row.routes.find(({ version }) => version === newestVersion(row))!;
  const { path, when } = input.route ?? newest;
  const given = new Map(Object.entries(values));
  if (when && !when.isDefault && !given.has(when.parameter)) given.set(when.parameter, when.value);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = given.get(name) ?? '';
    given.delete(name);
    return encoded(value);
  });
  const query = new URLSearchParams([...given]).toString();
  const { method, upload } = row;
  const type = upload?.types[0];
  return {
    method,
    url: `${apiUrl}${filled}${query && `?${query}`}`,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(upload?.tus && type !== FORM && { 'Tus-Resumable': TUS_VERSION }),
      ...(type === CHUNK && { 'Content-Type': CHUNK, 'Upload-Offset': '0' }),
    },
    // A lone surrogate is not valid text in other languages.
    ...(body && { json: JSON.stringify(body).toWellFormed() }),
    ...(type && { upload: type }),
    isDownload: kindOf(row) === 'download',
    needsKey: row.access.kind === 'key',
  };
}

const FORM = 'multipart/form-data';
const CHUNK = 'application/offset+octet-stream';

/** Encodes text for a URL, including the characters that are special to a shell. */
const encoded = (text: string) =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*~]/g,
    (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`,
  );

export function exampleCall(apiUrl: string, row: Operation, route?: OperationRoute): ApiCall {
  const { parameters, body = row.body?.example } = row.examples[0];
  return apiCallOf(apiUrl, row, { values: parameters, body, route });
}
