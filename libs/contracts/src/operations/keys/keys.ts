import { dashboardCall, idOf } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { onePage } from '../paging/paging-answer.js';
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
/**
 * The access of calls that may give a key more rights: they require a log-in or an entered password within the last
 * 10 minutes (S35), and may be repeated with an idempotency key.
 */
const POWERFUL = {
  access: { kind: 'session', needsReauthentication: true, isPaced: true },
  takesIdempotencyKey: true,
} as const;

const KEY_SHOWN = {
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
const ISSUED = { ...KEY_SHOWN, key: 'dds_live_…' } satisfies IssuedKeyAnswer;

export const KEYS = defineOperation({
  ...dashboardCall('account', 'GET /api/keys'),
  name: 'keys.list',
  summary: 'The API keys of the account, newest first',
  parameters: listPages(50),
  answers: [{ type: 'application/json', of: KeysAnswer }],
  problems: [],
  examples: [
    { title: 'One key', parameters: {}, answer: { keys: [KEY_SHOWN], paging: onePage(1, 50) } },
  ],
});

export const KEY = defineOperation({
  ...dashboardCall('account', 'GET /api/keys/{id}'),
  name: 'keys.get',
  summary: 'An API key of the account',
  parameters: idOf('key', ID),
  answers: [{ type: 'application/json', of: KeyAnswer }],
  problems: ['not_found'],
  examples: [{ title: 'An active key', parameters: { id: ID }, answer: KEY_SHOWN }],
});

export const KEY_CREATE = defineOperation({
  ...dashboardCall('account', 'POST /api/keys'),
  ...POWERFUL,
  name: 'keys.create',
  summary: 'Creates a key, which is shown only this once',
  description:
    'If the account already has as many live keys as its plan allows, the new live key is paused (`key_paused`) until an older live key is revoked or a larger package or plan is bought. The `rank` of a paused key is greater than the number of keys in the plan.',
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
  ...dashboardCall('account', 'PATCH /api/keys/{id}'),
  ...POWERFUL,
  name: 'keys.update',
  summary: 'Changes the name and the restrictions of a key',
  parameters: idOf('key', ID),
  body: { of: UpdateKeyRequest, limitBytes: LIMIT_BYTES, example: { name: 'My program' } },
  answers: [{ type: 'application/json', of: KeyAnswer }],
  problems: ['not_found', 'key_not_active'],
  examples: [{ title: 'A new name', parameters: { id: ID }, answer: KEY_SHOWN }],
});

export const KEY_REVOKE = defineOperation({
  ...dashboardCall('account', 'DELETE /api/keys/{id}'),
  name: 'keys.revoke',
  summary: 'Revokes a key at once',
  parameters: idOf('key', ID),
  answers: [{ type: 'application/json', of: KeyAnswer }],
  problems: ['not_found'],
  examples: [
    {
      title: 'A revoked key',
      parameters: { id: ID },
      answer: { ...KEY_SHOWN, state: 'revoked', revoked_because: 'owner', rank: null },
    },
  ],
});

export const KEY_ROTATE = defineOperation({
  ...dashboardCall('account', 'POST /api/keys/{id}/rotate'),
  ...POWERFUL,
  name: 'keys.rotate',
  summary: 'Rotates a key: creates its replacement, and lets the old key work for a while',
  parameters: idOf('key', ID),
  body: { of: RotateKeyRequest, limitBytes: LIMIT_BYTES, example: { overlap: '24h' } },
  answers: [{ type: 'application/json', of: IssuedKeyAnswer, status: 201 }],
  problems: ['not_found', 'key_not_active', 'key_limit_reached'],
  examples: [{ title: 'A new key', parameters: { id: ID }, answer: ISSUED }],
});

export const KEY_REISSUE = defineOperation({
  ...dashboardCall('account', 'POST /api/keys/{id}/reissue'),
  ...POWERFUL,
  name: 'keys.reissue',
  summary: 'Replaces an ended key with a new key that has the same settings',
  parameters: idOf('key', ID),
  body: { of: ReissueKeyRequest, limitBytes: LIMIT_BYTES, example: { expires_at: null } },
  answers: [{ type: 'application/json', of: IssuedKeyAnswer, status: 201 }],
  problems: ['not_found', 'key_limit_reached', 'key_not_reissuable'],
  examples: [{ title: 'A new key', parameters: { id: ID }, answer: ISSUED }],
});
