import type { InvalidLine, UploadAnswer, UploadRefusal, UploadState } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import type { NameGroup } from '../names/name-groups.js';

/** An upload as it is stored. */
export interface Upload {
  id: string;
  accountId: string;
  state: UploadState;
  fileName: string | null;
  sizeBytes: number | null;
  receivedBytes: number;
  /** Keys of the files that its bytes are in, in their order. */
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

/** The first bytes of an upload. */
export interface NewUpload {
  id: string;
  accountId: string;
  sizeBytes: number | null;
  fileName: string | null;
  idempotencyKey?: string;
  createdAt: Date;
}

/** The findings in the file. */
export type UploadContent = Pick<
  Upload,
  'lines' | 'uniqueNames' | 'invalid' | 'invalidLines' | 'groups'
>;

/** Uploads are kept for so long, whether they are complete or not. */
export const UPLOAD_KEPT_MS = 7 * DAY_MS;
const FILE_NAME_LENGTH_MAX = 200;

/** Stores the bytes of one upload until its names are read. */
export const uploadFolder = (id: string) => `uploads/${id}/`;
export const contentKey = (id: string) => `${uploadFolder(id)}content`;

/** The sender's name for the file, only to be shown (S75). */
export function shownName(name: string | null | undefined): string | null {
  // oxlint-disable-next-line eslint/no-control-regex -- they are what is removed
  const text = (name ?? '').replaceAll(/[\0-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
  return text.slice(0, FILE_NAME_LENGTH_MAX) || null;
}

/** As its owner reads it. */
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
