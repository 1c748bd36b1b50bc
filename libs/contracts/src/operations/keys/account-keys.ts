import { KEYS_SCOPE } from '../access.js';
import { idOf } from '../kinds.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { onePage } from '../paging/paging-answer.js';
import {
  AccountKeyAnswer,
  AccountKeysAnswer,
  CreateKeyRequest,
  IssuedAccountKeyAnswer,
  type KeyAnswer,
  RotateKeyRequest,
} from './key-answer.js';

const LIMIT_BYTES = 16_384;
const ID = '019a5f00-0000-7000-8000-000000000004';
const NEXT_ID = '019a5f00-0000-7000-8000-000000000005';

const BY_KEY = {
  kind: 'key',
  scope: KEYS_SCOPE,
  class: 'account',
  isForLiveKeys: true,
  managesKeys: true,
} as const;
const ACCOUNT = (path: string) =>
  ({ service: 'account', path: `/internal/account/keys${path}` }) as const;
const FREE = { per: 'free' } as const;

const ONE_KEY = {
  id: { kind: idOf('a key'), about: 'Id of the key', example: ID, in: 'path' },
} as const;

const KEY = {
  id: ID,
  name: 'My program',
  environment: 'live',
  masked: 'dds_live_…a1b2',
  state: 'active',
  scopes: ['whois'],
  allowed_addresses: [],
  daily_credit_cap: null,
  created_at: '2026-11-20T10:00:00.000Z',
  expires_at: null,
  last_used_at: null,
  replaced_by: null,
  revoked_because: null,
  rank: 2,
} satisfies KeyAnswer;
const SHOWN = { status: true, ...KEY } satisfies AccountKeyAnswer;
const ISSUED = { ...SHOWN, key: 'dds_live_…' } satisfies IssuedAccountKeyAnswer;

const ACCESS =
  'The calling key needs the scope `keys:write`, which only the dashboard gives, and must be sent in a header.';
const NOTICE = 'The owner of the account gets an e-mail about it.';

export const ACCOUNT_KEYS = defineOperation({
  name: 'api-keys.list',
  summary: 'The API keys of the account, newest first',
  description: ACCESS,
  method: 'GET',
  routes: [{ path: '/v2.0/account/keys', version: 2 }],
  access: BY_KEY,
  owner: ACCOUNT(''),
  parameters: listPages(50),
  answers: [{ type: 'application/json', of: AccountKeysAnswer }],
  price: FREE,
  problems: [],
  examples: [
    {
      title: 'A key',
      parameters: {},
      answer: { status: true, keys: [KEY], paging: onePage(1, 50) },
    },
  ],
});

export const ACCOUNT_KEY_CREATE = defineOperation({
  name: 'api-keys.create',
  summary: 'Creates an API key, which is shown only this once',
  description: `${ACCESS} The new key can have no more rights than the calling key, and never \`keys:write\`: what the body omits is as in the calling key. If the account already has as many live keys as its plan allows, a new live key is paused (\`key_paused\`). ${NOTICE}`,
  method: 'POST',
  routes: [{ path: '/v2.0/account/keys', version: 2 }],
  access: BY_KEY,
  owner: ACCOUNT(''),
  parameters: {},
  body: {
    of: CreateKeyRequest,
    limitBytes: LIMIT_BYTES,
    example: { name: 'My program', environment: 'live', scopes: ['whois'] },
  },
  takesIdempotencyKey: true,
  secretMember: 'key',
  answers: [{ type: 'application/json', of: IssuedAccountKeyAnswer, status: 201 }],
  price: FREE,
  problems: ['key_limit_reached', 'key_not_active', 'key_rights_exceeded'],
  examples: [{ title: 'A live key', parameters: {}, answer: ISSUED }],
});

export const ACCOUNT_KEY_ROTATE = defineOperation({
  name: 'api-keys.rotate',
  summary: 'Rotates an API key: creates its replacement, and lets the old key work for a while',
  description: `${ACCESS} A key can rotate itself, also with a later expiry, and keys that have no more rights than it. After the rotation, the old key can no longer create, rotate or revoke keys, unless the new key is revoked. The new key is shown only once. ${NOTICE}`,
  method: 'POST',
  routes: [{ path: '/v2.0/account/keys/{id}/rotate', version: 2 }],
  access: BY_KEY,
  owner: ACCOUNT('/{id}/rotate'),
  parameters: ONE_KEY,
  body: { of: RotateKeyRequest, limitBytes: LIMIT_BYTES, example: { overlap: '24h' } },
  takesIdempotencyKey: true,
  secretMember: 'key',
  answers: [{ type: 'application/json', of: IssuedAccountKeyAnswer, status: 201 }],
  price: FREE,
  problems: ['not_found', 'key_limit_reached', 'key_not_active', 'key_rights_exceeded'],
  examples: [{ title: 'A new key', parameters: { id: ID }, answer: { ...ISSUED, id: NEXT_ID } }],
});

export const ACCOUNT_KEY_REVOKE = defineOperation({
  name: 'api-keys.revoke',
  summary: 'Revokes an API key at once, also the calling key',
  description: `${ACCESS} ${NOTICE}`,
  method: 'DELETE',
  routes: [{ path: '/v2.0/account/keys/{id}', version: 2 }],
  access: BY_KEY,
  owner: ACCOUNT('/{id}'),
  parameters: ONE_KEY,
  answers: [{ type: 'application/json', of: AccountKeyAnswer }],
  price: FREE,
  problems: ['not_found', 'key_not_active'],
  examples: [
    {
      title: 'A revoked key',
      parameters: { id: ID },
      answer: { ...SHOWN, state: 'revoked', revoked_because: 'owner', rank: null },
    },
  ],
});

export const ACCOUNT_KEY_OPERATIONS = [
  ACCOUNT_KEYS,
  ACCOUNT_KEY_CREATE,
  ACCOUNT_KEY_ROTATE,
  ACCOUNT_KEY_REVOKE,
];
