import type { InvalidLine, UploadAnswer, UploadRefusal, UploadState } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import type { NameGroup } from '../names/name-groups.js';

export interface Upload {
  id: string;
  accountId: string;
  state: UploadState;
  fileName: string | null;
  sizeBytes: number | null;
  receivedBytes: number;
  /** The keys of the files with the upload's bytes, in order. */
  pieces: string[];
  lines: number;
  uniqueNames: number;
  invalid: number;
  invalidLines: InvalidLine[];
  groups: NameGroup[];
  refusal: UploadRefusal | null;
  createdAt: Date;
  expiresAt: Date;
}

export interface NewUpload {
  id: string;
  accountId: string;
  sizeBytes: number | null;
  fileName: string | null;
  idempotencyKey?: string;
  createdAt: Date;
}

export type UploadContent = Pick<
  Upload,
  'lines' | 'uniqueNames' | 'invalid' | 'invalidLines' | 'groups'
>;

/** How long uploads are kept, complete or not. */
export const UPLOAD_KEPT_MS = 7 * DAY_MS;
const FILE_NAME_LENGTH_MAX = 200;
// oxlint-disable-next-line eslint/no-control-regex -- the expression removes control characters
const UNSEEN = /[\0-\x1f\x7f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069]/g;

/** Returns the folder of an upload's bytes, where they stay until the names are read. */
export const uploadFolder = (id: string) => `uploads/${id}/`;
export const contentKey = (id: string) => `${uploadFolder(id)}content`;

/**
 * Removes control and bidirectional characters from the sender's file name, and cuts it to 200 characters; null if
 * nothing is left. The name is only displayed (S75).
 */
export function shownName(name: string | null | undefined): string | null {
  const text = (name ?? '').replaceAll(UNSEEN, '');
  return text.slice(0, FILE_NAME_LENGTH_MAX) || null;
}

export function uploadAnswer(upload: Upload): UploadAnswer {
  const { lines, uniqueNames: unique, invalid, state, refusal } = upload;
  const counts = { lines, unique, invalid, duplicates: lines - invalid - unique };
  return {
    status: true,
    id: upload.id,
    state,
    file_name: upload.fileName,
    size_bytes: upload.sizeBytes,
    received_bytes: upload.receivedBytes,
    ...(state === 'ready' && { counts }),
    invalid_lines: upload.invalidLines,
    ...(refusal && { refusal }),
    created_at: upload.createdAt.toISOString(),
    expires_at: upload.expiresAt.toISOString(),
  };
}
