/** The kinds of upload body: a form with files in it (RFC 7578), or a piece of a file by the tus protocol. */
export type UploadType = 'multipart/form-data' | 'application/offset+octet-stream';

/** A body that is streamed to its owner; the gateway does not read it. */
export interface OperationUpload {
  /** Empty for tus methods without a body. */
  types: readonly UploadType[];
  /** Maximum body size of one request; for tus, also the maximum file size. 0 without a body. */
  limitBytes: number;
  /**
   * tus extensions that the operation's owner supports, for a row that implements tus 1.0.0
   * (https://tus.io/protocols/resumable-upload): `creation`, `termination`.
   */
  tus?: readonly TusExtension[];
}

export type TusExtension =
  'creation' | 'creation-with-upload' | 'creation-defer-length' | 'expiration' | 'termination';

export const TUS_VERSION = '1.0.0';

export const TUS_REQUEST_HEADERS = [
  'tus-resumable',
  'upload-concat',
  'upload-defer-length',
  'upload-length',
  'upload-metadata',
  'upload-offset',
] as const;
export const TUS_ANSWER_HEADERS = [...TUS_REQUEST_HEADERS, 'upload-expires'] as const;
