import { IsInt } from 'class-validator';
import { type Operation, defineOperation, text, tusVerbs } from '#libs/contracts';

export const UPLOAD_MAX_BYTES = 2 * 1024 ** 3;

export class StoredForm {
  @IsInt()
  size_bytes: number;

  @IsInt()
  crc32: number;
}

const verbs = tusVerbs({
  service: 'worker',
  path: '/v2.0/parcels',
  ownerPath: '/internal/parcels',
  access: { kind: 'key', scope: 'bulk', class: 'account', isForLiveKeys: true },
  limitBytes: UPLOAD_MAX_BYTES,
  extensions: ['creation', 'creation-with-upload', 'termination'],
});

export const UPLOAD_CREATE = defineOperation({
  ...verbs.create,
  name: 'account.parcels.create',
  summary: 'Starts an upload, or takes a form with a file',
  answers: [{ type: 'application/json', of: StoredForm, status: 201 }],
  problems: ['subscription_exists', 'invoice_data_destroyed'],
  examples: [{ title: 'A form', parameters: {}, answer: { size_bytes: 3, crc32: 1 } }],
});
export const UPLOAD_STATE = defineOperation({
  ...verbs.state,
  name: 'account.parcels.state',
  summary: 'How much of an upload is stored',
  problems: [],
});
export const UPLOAD_APPEND = defineOperation({
  ...verbs.append,
  name: 'account.parcels.append',
  summary: 'Stores the next bytes of an upload',
  problems: [],
});
export const UPLOAD_REMOVE = defineOperation({
  ...verbs.remove,
  name: 'account.parcels.remove',
  summary: 'Deletes an upload',
  problems: [],
});

export const FILE = defineOperation({
  name: 'account.parcels.file',
  summary: 'A file',
  method: 'GET',
  routes: [{ path: '/v2.0/parcel-files/{name}', version: 2 }],
  access: { kind: 'key', scope: 'whois', class: 'account', isForLiveKeys: true },
  owner: { service: 'worker', path: '/internal/parcel-files/{name}' },
  parameters: { name: { kind: text(20), about: 'Which', example: 'large', in: 'path' } },
  answers: [{ type: 'file', mediaTypes: ['application/gzip'] }],
  price: { per: 'free' },
  problems: [],
  examples: [{ title: 'One', parameters: { name: 'large' }, answer: {} }],
});

/** An upload and a download as the table may have them; their owner is `TransferOwner`. */
export const TRANSFER_ROWS: readonly Operation[] = [
  UPLOAD_CREATE,
  UPLOAD_STATE,
  UPLOAD_APPEND,
  UPLOAD_REMOVE,
  FILE,
];
