import { byLiveKey } from '../access.js';
import { idOf } from '../kinds.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { onePage } from '../paging/paging-answer.js';
import { type TusUploads, UPLOAD_ID, tusVerbs } from '../transfers/tus-verbs.js';
import { UploadAnswer, UploadsAnswer } from './upload-answer.js';

/** Maximum size of a file as sent, and of its uncompressed contents. */
export const UPLOAD_BYTES_MAX = 768 * 1024 * 1024;
/** Maximum number of lines that are not blank, after the header. */
export const UPLOAD_LINES_MAX = 3_000_000;

const ACCESS = byLiveKey('jobs', 'account');

const READY = {
  status: true,
  id: UPLOAD_ID.id.example,
  state: 'ready',
  file_name: 'names.csv',
  size_bytes: 36,
  received_bytes: 36,
  counts: { lines: 3, unique: 2, invalid: 0, duplicates: 1 },
  invalid_lines: [],
  created_at: '2026-11-20T10:00:00.000Z',
  expires_at: '2026-11-27T10:00:00.000Z',
} satisfies UploadAnswer;

const { counts: _none, ...UNREAD } = READY;
const READING = { ...UNREAD, state: 'reading' } satisfies UploadAnswer;

const BY_KEY: TusUploads = {
  service: 'worker',
  path: '/v2.0/uploads',
  ownerPath: '/internal/uploads',
  access: ACCESS,
  limitBytes: UPLOAD_BYTES_MAX,
  extensions: ['creation', 'creation-with-upload', 'termination', 'expiration'],
};
const verbs = tusVerbs(BY_KEY);

const DESCRIPTION =
  'Uploads a file for a job of up to 3,000,000 names. Send a form with one file, or use tus 1.0.0 (https://tus.io), which can resume after a broken connection; an upload may consist of up to 1,000 pieces. The file is text with one name per line, or CSV; its names are read from the column `domain`, `domain_name`, `name` or `url` or, if there is none, from the first of its first 100 columns that contains a name. It may be compressed with gzip, or be the only entry of a ZIP file. The limit is 768 MiB, both compressed and uncompressed. The names are read in the background: poll the upload until it is `ready`, then start a job with its `upload_id`. If a form has the field `idempotency_key` before the file, repeating the form returns the same upload.';

export const UPLOAD_CREATE = defineOperation({
  ...verbs.create,
  name: 'uploads.create',
  summary: 'Uploads a file of names, or starts a resumable upload',
  description: DESCRIPTION,
  answers: [{ type: 'application/json', of: UploadAnswer, status: 201 }],
  problems: ['uploads_full', 'idempotency_key_running'],
  examples: [{ title: 'A form', parameters: {}, answer: READING }],
});
export const UPLOAD_STATE = defineOperation({
  ...verbs.state,
  name: 'uploads.state',
  summary: 'How many bytes of an upload are stored',
  problems: [],
});
export const UPLOAD_APPEND = defineOperation({
  ...verbs.append,
  name: 'uploads.append',
  summary: 'Stores the next bytes of an upload',
  problems: [],
});
export const UPLOAD_REMOVE = defineOperation({
  ...verbs.remove,
  name: 'uploads.remove',
  summary: 'Deletes an upload',
  problems: ['upload_in_use'],
});

export const UPLOAD = defineOperation({
  name: 'uploads.get',
  summary: 'The state of an upload, and how many names it contains',
  method: 'GET',
  routes: [{ path: '/v2.0/uploads/{id}', version: 2 }],
  access: ACCESS,
  owner: { service: 'worker', path: '/internal/uploads/{id}' },
  parameters: {
    id: { ...UPLOAD_ID.id, kind: idOf('an upload') },
  },
  answers: [{ type: 'application/json', of: UploadAnswer }],
  price: { per: 'free' },
  problems: ['not_found'],
  examples: [{ title: 'A ready upload', parameters: { id: READY.id }, answer: READY }],
});

export const UPLOADS = defineOperation({
  name: 'uploads.list',
  summary: 'The uploads of the account, newest first',
  method: 'GET',
  routes: [{ path: '/v2.0/uploads', version: 2 }],
  access: ACCESS,
  owner: { service: 'worker', path: '/internal/uploads' },
  parameters: listPages(50),
  answers: [{ type: 'application/json', of: UploadsAnswer }],
  price: { per: 'free' },
  problems: [],
  examples: [
    {
      title: 'One upload',
      parameters: {},
      answer: { status: true, uploads: [READY], paging: onePage(1, 50) },
    },
  ],
});
