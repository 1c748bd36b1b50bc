/** The kinds of upload body: a form with files in it (RFC 7578), or a piece of a file by the tus protocol. */
export type UploadType = 'multipart/form-data' | 'application/offset+octet-stream';

/** A body that streams to its owner, which alone reads it. */
export interface OperationUpload {
  /** Empty for the verbs of tus that have no body. */
  types: readonly UploadType[];
  /** Largest body of one request; by tus, also the largest file. 0 without a body. */
  limitBytes: number;
  /**
   * Extensions of tus that its owner has, for a row that speaks tus 1.0.0
   * (https://tus.io/protocols/resumable-upload): `creation`, `termination`.
   */
  tus?: readonly TusExtension[];
}

export type TusExtension =
  'creation' | 'creation-with-upload' | 'creation-defer-length' | 'expiration' | 'termination';

export const TUS_VERSION = '1.0.0';

/** Headers by which a tus client and its server talk, as sent by either. */
export const TUS_REQUEST_HEADERS = [
  'tus-resumable',
  'upload-concat',
  'upload-defer-length',
  'upload-length',
  'upload-metadata',
  'upload-offset',
] as const;
export const TUS_ANSWER_HEADERS = [...TUS_REQUEST_HEADERS, 'upload-expires'] as const;
