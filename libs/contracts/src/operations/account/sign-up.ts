import { IsEmailAddress } from '#libs/domain-names';
import { IsBoolean, IsIn, IsString } from 'class-validator';
import { FOR_VISITORS, dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { IsFirstName, IsLinkToken, IsPassword, MayBeAbsent } from './text-rules.js';

export class SignUpRequest {
  @IsFirstName()
  first_name: string;

  @IsEmailAddress()
  email: string;

  /** 8 to 128 characters, and not easy to guess. */
  @IsPassword()
  password: string;
}

export class SignUpAnswer {
  @IsIn(['confirmation_sent'])
  status: 'confirmation_sent';
}

export class ConfirmSignUpRequest {
  @IsLinkToken()
  token: string;

  /** The password chosen at sign-up or, with `set_password`, a new password. */
  @IsPassword()
  password: string;

  /** Whether to set `password` as the new password, replacing the one chosen at sign-up. */
  @MayBeAbsent()
  @IsBoolean()
  set_password?: boolean;
}

export class ConfirmedSignUpAnswer {
  @IsString()
  account_id: string;

  /** The first live key, shown only this once. */
  @IsString()
  key: string;

  /** The test key, for fixtures, which cost 0 credits; shown only this once. */
  @IsString()
  test_key: string;
}

export const SIGN_UP = defineOperation({
  ...dashboardCall('account', 'POST /api/sign-up'),
  name: 'sign-up.request',
  access: FOR_VISITORS,
  summary: 'Sends an e-mail with a link that confirms the address of a new account',
  description: 'The answer is the same if the address already has an account.',
  body: {
    of: SignUpRequest,
    limitBytes: 4_096,
    example: { first_name: 'Ada', email: 'ada@example.com', password: 'a sentence is fine' },
  },
  answers: [{ type: 'application/json', of: SignUpAnswer, status: 202 }],
  problems: ['too_many_attempts'],
  examples: [{ title: 'A new account', parameters: {}, answer: { status: 'confirmation_sent' } }],
});

export const SIGN_UP_CONFIRM = defineOperation({
  ...dashboardCall('account', 'POST /api/sign-up/confirm'),
  name: 'sign-up.confirm',
  access: FOR_VISITORS,
  summary: 'Opens the account, creates its first keys and logs in',
  description:
    'The password proves that the person who opened the link also signed up, so nobody gets an account whose password a stranger chose. With `set_password`, the owner of the mailbox sets a new password instead.',
  body: {
    of: ConfirmSignUpRequest,
    limitBytes: 4_096,
    example: { token: 'from-the-mail', password: 'a sentence is fine' },
  },
  answers: [{ type: 'application/json', of: ConfirmedSignUpAnswer, status: 201 }],
  problems: ['link_invalid', 'too_many_attempts', 'wrong_credentials'],
  examples: [
    {
      title: 'A confirmed address',
      parameters: {},
      answer: {
        account_id: '019a5f00-0000-7000-8000-000000000001',
        key: 'dds_live_…',
        test_key: 'dds_test_…',
      },
    },
  ],
});
