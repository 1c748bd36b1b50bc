import { IsArray, IsBoolean, IsInt, IsString, Length, Max, Min } from 'class-validator';
import { NullableText } from '../../members.js';
import type { Access } from '../access.js';
import { FOR_VISITORS, dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { CURRENT, CurrentSessionAnswer } from '../account/sessions.js';

export class CodeRequest {
  /** Six digits from the app, or a recovery code; spaces and hyphens are ignored. */
  @IsString()
  @Length(1, 64)
  code: string;
}

export class SecondFactorAnswer {
  /** When log-ins began to require a code, RFC 3339; null while they do not. */
  @NullableText()
  on_since: string | null;

  /** Number of recovery codes left. */
  @IsInt()
  @Min(0)
  @Max(10)
  recovery_codes: number;
}

export class SecondFactorSecretAnswer {
  /** The secret in base32, to be typed into an authenticator app. */
  @IsString()
  secret: string;

  /** The secret for a QR code: `otpauth://totp/…`. */
  @IsString()
  uri: string;
}

export class RecoveryCodesAnswer {
  /** Each code is valid for one log-in without the app. They are shown only once. */
  @IsArray()
  @IsString({ each: true })
  recovery_codes: string[];
}

export class SecondFactorRemovedAnswer {
  @IsBoolean()
  removed: true;
}

const CHANGE: Access = { kind: 'session', needsReauthentication: true, isPaced: true };
const CODE = { of: CodeRequest, limitBytes: 4_096, example: { code: '492039' } };
const CODES = { recovery_codes: ['ABCDEF-GHIJKL-MNOPQR-STUVWX'] };

export const LOG_IN_CODE = defineOperation({
  ...dashboardCall('account', 'POST /api/log-in/code'),
  name: 'session.log-in-code',
  summary: 'Completes a log-in that asked for a code',
  access: FOR_VISITORS,
  body: CODE,
  answers: [{ type: 'application/json', of: CurrentSessionAnswer }],
  problems: [
    'wrong_code',
    'wrong_credentials',
    'log_in_over',
    'identity_taken',
    'too_many_attempts',
  ],
  examples: [{ title: 'The right code', parameters: {}, answer: CURRENT }],
});

export const SECOND_FACTOR = defineOperation({
  ...dashboardCall('account', 'GET /api/second-factor'),
  name: 'second-factor.read',
  summary: 'Whether log-ins require a code from an authenticator app',
  answers: [{ type: 'application/json', of: SecondFactorAnswer }],
  problems: [],
  examples: [
    {
      title: 'An app is set up',
      parameters: {},
      answer: { on_since: '2026-11-23T10:00:00.000Z', recovery_codes: 9 },
    },
    { title: 'No app', parameters: {}, answer: { on_since: null, recovery_codes: 0 } },
  ],
});

export const SECOND_FACTOR_BEGIN = defineOperation({
  ...dashboardCall('account', 'POST /api/second-factor'),
  name: 'second-factor.begin',
  summary: 'Creates a secret for an authenticator app; changes nothing until the first code',
  access: CHANGE,
  answers: [{ type: 'application/json', of: SecondFactorSecretAnswer }],
  problems: ['second_factor_on'],
  examples: [
    {
      title: 'A secret',
      parameters: {},
      answer: {
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        uri: 'otpauth://totp/Domain%20Data%20Service:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Domain%20Data%20Service',
      },
    },
  ],
});

export const SECOND_FACTOR_CONFIRM = defineOperation({
  ...dashboardCall('account', 'POST /api/second-factor/confirm'),
  name: 'second-factor.confirm',
  summary: 'Confirms the authenticator app with its first code; log-ins then require a code',
  access: CHANGE,
  body: CODE,
  answers: [{ type: 'application/json', of: RecoveryCodesAnswer }],
  problems: ['wrong_code', 'second_factor_on', 'second_factor_off', 'too_many_attempts'],
  examples: [{ title: 'The right code', parameters: {}, answer: CODES }],
});

export const SECOND_FACTOR_CODES = defineOperation({
  ...dashboardCall('account', 'POST /api/second-factor/recovery-codes'),
  name: 'second-factor.recovery-codes',
  summary: 'Creates new recovery codes; the earlier ones stop working',
  access: CHANGE,
  body: CODE,
  answers: [{ type: 'application/json', of: RecoveryCodesAnswer }],
  problems: ['wrong_code', 'second_factor_off', 'too_many_attempts'],
  examples: [{ title: 'New codes', parameters: {}, answer: CODES }],
});

export const SECOND_FACTOR_REMOVE = defineOperation({
  ...dashboardCall('account', 'POST /api/second-factor/remove'),
  name: 'second-factor.remove',
  summary: 'Removes the authenticator app; log-ins no longer require a code',
  access: CHANGE,
  body: CODE,
  answers: [{ type: 'application/json', of: SecondFactorRemovedAnswer }],
  problems: ['wrong_code', 'too_many_attempts'],
  examples: [{ title: 'The right code', parameters: {}, answer: { removed: true } }],
});
