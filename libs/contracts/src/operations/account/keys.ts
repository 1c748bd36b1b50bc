import { text } from '../kinds.js';
import { defineOperation } from '../operation.js';
import {
  CreateKeyRequest,
  IssuedKeyAnswer,
  KeyAnswer,
  KeysAnswer,
  ReissueKeyRequest,
  RotateKeyRequest,
  UpdateKeyRequest,
} from './key-answer.js';

const LIMIT_BYTES = 16_384;
const ID = '019a5f00-0000-7000-8000-000000000004';
const NEEDS_ID = {
  id: { kind: text(64), about: 'Id of the key', example: ID, in: 'path' },
} as const;
const COMMON = { access: { kind: 'session' }, price: { per: 'free' } } as const;
/** What gives a key more power needs a password of the last ten minutes (S35). */
const POWERFUL = {
  ...COMMON,
  access: { kind: 'session', needsReauthentication: true },
  takesIdempotencyKey: true,
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
  rank: 1,
} satisfies KeyAnswer;
const ISSUED = { ...KEY, key: 'dds_live_…' } satisfies IssuedKeyAnswer;

export const KEYS = defineOperation({
  ...COMMON,
  name: 'keys.list',
  summary: 'The API keys of the account, the newest first',
  method: 'GET',
  routes: [{ path: '/api/keys', version: 2 }],
  owner: { service: 'account', path: '/internal/dashboard/keys' },
  parameters: {
    cursor: { kind: text(300), about: '`next_cursor` of the page before', example: 'MDE5YTVm' },
  },
  answers: [{ type: 'application/json', of: KeysAnswer }],
  problems: [],
  examples: [{ title: 'One key', parameters: {}, answer: { keys: [KEY] } }],
});

export const KEY_CREATE = defineOperation({
  ...POWERFUL,
  name: 'keys.create',
  summary: 'Makes a key and shows it, this once',
  method: 'POST',
  routes: [{ path: '/api/keys', version: 2 }],
  owner: { service: 'account', path: '/internal/dashboard/keys' },
  parameters: {},
  body: {
    of: CreateKeyRequest,
    limitBytes: LIMIT_BYTES,
    example: { name: 'My program', environment: 'live', scopes: ['whois'] },
  },
  answers: [{ type: 'application/json', of: IssuedKeyAnswer, status: 201 }],
  problems: ['key_limit_reached'],
  examples: [{ title: 'A live key', parameters: {}, answer: ISSUED }],
});

export const KEY_UPDATE = defineOperation({
  ...POWERFUL,
  name: 'keys.update',
  summary: 'Changes what a key is called and what it may do',
  method: 'PATCH',
  routes: [{ path: '/api/keys/{id}', version: 2 }],
  owner: { service: 'account', path: '/internal/dashboard/keys/{id}' },
  parameters: NEEDS_ID,
  body: { of: UpdateKeyRequest, limitBytes: LIMIT_BYTES, example: { name: 'My program' } },
  answers: [{ type: 'application/json', of: KeyAnswer }],
  problems: ['not_found', 'key_not_active'],
  examples: [{ title: 'A new name', parameters: { id: ID }, answer: KEY }],
});

export const KEY_REVOKE = defineOperation({
  ...COMMON,
  name: 'keys.revoke',
  summary: 'Ends a key at once',
  method: 'DELETE',
  routes: [{ path: '/api/keys/{id}', version: 2 }],
  owner: { service: 'account', path: '/internal/dashboard/keys/{id}' },
  parameters: NEEDS_ID,
  answers: [{ type: 'application/json', of: KeyAnswer }],
  problems: ['not_found'],
  examples: [
    {
      title: 'A revoked key',
      parameters: { id: ID },
      answer: { ...KEY, state: 'revoked', revoked_because: 'owner', rank: null },
    },
  ],
});

export const KEY_ROTATE = defineOperation({
  ...POWERFUL,
  name: 'keys.rotate',
  summary: 'Puts a new key in the place of one, which works on for a while',
  method: 'POST',
  routes: [{ path: '/api/keys/{id}/rotate', version: 2 }],
  owner: { service: 'account', path: '/internal/dashboard/keys/{id}/rotate' },
  parameters: NEEDS_ID,
  body: { of: RotateKeyRequest, limitBytes: LIMIT_BYTES, example: { overlap: '24h' } },
  answers: [{ type: 'application/json', of: IssuedKeyAnswer, status: 201 }],
  problems: ['not_found', 'key_not_active'],
  examples: [{ title: 'A new key', parameters: { id: ID }, answer: ISSUED }],
});

export const KEY_REISSUE = defineOperation({
  ...POWERFUL,
  name: 'keys.reissue',
  summary: 'Makes a key as one was that has ended',
  method: 'POST',
  routes: [{ path: '/api/keys/{id}/reissue', version: 2 }],
  owner: { service: 'account', path: '/internal/dashboard/keys/{id}/reissue' },
  parameters: NEEDS_ID,
  body: { of: ReissueKeyRequest, limitBytes: LIMIT_BYTES, example: { expires_at: null } },
  answers: [{ type: 'application/json', of: IssuedKeyAnswer, status: 201 }],
  problems: ['not_found', 'key_limit_reached', 'key_not_reissuable'],
  examples: [{ title: 'A new key', parameters: { id: ID }, answer: ISSUED }],
});
