import { IsBoolean, IsObject, IsString, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { NestedList, NullableText } from '../../members.js';
import type { Access } from '../access.js';
import { CURRENT, CurrentSessionAnswer } from '../account/sessions.js';
import { IsMailedName } from '../account/text-rules.js';
import { FOR_VISITORS, dashboardCall, idOf } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';

export class PasskeyLogInRequest {
  /** The result of `navigator.credentials.get` as JSON (WebAuthn Level 3, `AuthenticationResponseJSON`). */
  @IsString()
  @Length(2, 8_192)
  credential: string;
}

export class AddPasskeyRequest {
  /** The name that helps the owner recognise the passkey. */
  @IsMailedName(60)
  name: string;

  /** The result of `navigator.credentials.create` as JSON (WebAuthn Level 3, `RegistrationResponseJSON`). */
  @IsString()
  @Length(2, 8_192)
  credential: string;
}

export class RenamePasskeyRequest {
  /** The name that helps the owner recognise the passkey. */
  @IsMailedName(60)
  name: string;
}

export class PasskeyOptionsAnswer {
  /**
   * The options for `navigator.credentials`, as JSON. Their challenge is valid once, for five minutes, in the browser
   * that requested it.
   */
  @IsObject()
  @JSONSchema({ additionalProperties: true })
  options: Record<string, unknown>;
}

export class ListedPasskey {
  @IsString()
  id: string;

  @IsString()
  name: string;

  @IsString()
  created_at: string;

  /** Null before the passkey's first log-in. */
  @NullableText()
  last_used_at: string | null;
}

export class PasskeysAnswer {
  @NestedList(() => ListedPasskey)
  passkeys: ListedPasskey[];
}

export class PasskeyRemovedAnswer {
  @IsBoolean()
  removed: true;
}

const ID = '019a5f00-0000-7000-8000-000000000005';
const CHANGE: Access = { kind: 'session', needsReauthentication: true, isPaced: true };
const CHALLENGE = 'gqFnmZJrVSpnqvFBm1Z1xv2nHgb3SBDvPGN3ljzXNCk';
const PASSKEY = {
  id: ID,
  name: 'Chrome on Linux',
  created_at: '2026-11-23T10:00:00.000Z',
  last_used_at: null,
};

export const LOG_IN_PASSKEY_BEGIN = defineOperation({
  ...dashboardCall('account', 'POST /api/log-in/passkey/options'),
  name: 'session.passkey-options',
  summary: 'Starts a log-in with a passkey',
  access: FOR_VISITORS,
  answers: [{ type: 'application/json', of: PasskeyOptionsAnswer }],
  problems: ['too_many_attempts'],
  examples: [
    {
      title: 'A challenge',
      parameters: {},
      answer: {
        options: { challenge: CHALLENGE, rpId: 'localhost', userVerification: 'required' },
      },
    },
  ],
});

export const LOG_IN_PASSKEY = defineOperation({
  ...dashboardCall('account', 'POST /api/log-in/passkey'),
  name: 'session.log-in-passkey',
  summary: 'Logs in with a passkey, in the browser that requested the challenge',
  access: FOR_VISITORS,
  body: {
    of: PasskeyLogInRequest,
    limitBytes: 16_384,
    example: { credential: '{"id":"…","rawId":"…","response":{…},"type":"public-key"}' },
  },
  answers: [{ type: 'application/json', of: CurrentSessionAnswer }],
  problems: ['passkey_refused', 'log_in_over', 'identity_taken', 'too_many_attempts'],
  examples: [{ title: 'A passkey of the account', parameters: {}, answer: CURRENT }],
});

export const PASSKEYS = defineOperation({
  ...dashboardCall('account', 'GET /api/passkeys'),
  name: 'passkey.list',
  summary: 'The passkeys of the account',
  answers: [{ type: 'application/json', of: PasskeysAnswer }],
  problems: [],
  examples: [{ title: 'One', parameters: {}, answer: { passkeys: [PASSKEY] } }],
});

export const PASSKEY_BEGIN = defineOperation({
  ...dashboardCall('account', 'POST /api/passkeys/options'),
  name: 'passkey.begin',
  summary: 'The options that a browser needs to create a passkey; changes nothing yet',
  access: CHANGE,
  answers: [{ type: 'application/json', of: PasskeyOptionsAnswer }],
  problems: ['too_many_passkeys'],
  examples: [
    {
      title: 'A challenge',
      parameters: {},
      answer: {
        options: { challenge: CHALLENGE, rp: { id: 'localhost', name: 'Domain Data Service' } },
      },
    },
  ],
});

export const PASSKEY_ADD = defineOperation({
  ...dashboardCall('account', 'POST /api/passkeys'),
  name: 'passkey.add',
  summary: 'Adds the passkey that the browser created; it can log in from now on',
  access: CHANGE,
  body: {
    of: AddPasskeyRequest,
    limitBytes: 16_384,
    example: {
      name: 'Chrome on Linux',
      credential: '{"id":"…","rawId":"…","response":{…},"type":"public-key"}',
    },
  },
  answers: [{ type: 'application/json', of: ListedPasskey }],
  problems: ['passkey_refused', 'log_in_over', 'too_many_passkeys'],
  examples: [{ title: 'A passkey', parameters: {}, answer: PASSKEY }],
});

export const PASSKEY_RENAME = defineOperation({
  ...dashboardCall('account', 'PATCH /api/passkeys/{id}'),
  name: 'passkey.rename',
  summary: 'Renames a passkey',
  access: CHANGE,
  parameters: idOf('passkey', ID),
  body: { of: RenamePasskeyRequest, limitBytes: 4_096, example: { name: 'Office laptop' } },
  answers: [{ type: 'application/json', of: ListedPasskey }],
  problems: ['not_found'],
  examples: [
    { title: 'A passkey', parameters: { id: ID }, answer: { ...PASSKEY, name: 'Office laptop' } },
  ],
});

export const PASSKEY_REMOVE = defineOperation({
  ...dashboardCall('account', 'DELETE /api/passkeys/{id}'),
  name: 'passkey.remove',
  summary: 'Removes a passkey from the account',
  access: { kind: 'session', needsReauthentication: true },
  parameters: idOf('passkey', ID),
  answers: [{ type: 'application/json', of: PasskeyRemovedAnswer }],
  problems: ['not_found', 'last_way_in'],
  examples: [{ title: 'A passkey', parameters: { id: ID }, answer: { removed: true } }],
});

/** In the order of the documents: first the log-in, then the management of passkeys. */
export const PASSKEY_OPERATIONS = [
  LOG_IN_PASSKEY_BEGIN,
  LOG_IN_PASSKEY,
  PASSKEYS,
  PASSKEY_BEGIN,
  PASSKEY_ADD,
  PASSKEY_RENAME,
  PASSKEY_REMOVE,
];
