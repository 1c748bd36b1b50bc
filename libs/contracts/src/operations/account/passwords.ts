import { IsIn, IsString, Length } from 'class-validator';
import { FOR_VISITORS, dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { IsKnownPassword, IsLinkToken, IsPassword } from './text-rules.js';

export class ForgotPasswordRequest {
  @IsString()
  @Length(1, 254)
  email: string;
}

export class ForgotPasswordAnswer {
  @IsIn(['link_sent_if_known'])
  status: 'link_sent_if_known';
}

export class ResetPasswordRequest {
  @IsLinkToken()
  token: string;

  @IsPassword()
  password: string;
}

export class ChangePasswordRequest {
  @IsKnownPassword()
  current_password: string;

  @IsPassword()
  password: string;
}

export class PasswordSetAnswer {
  @IsIn(['password_set'])
  status: 'password_set';
}

const SET = { title: 'A new password', parameters: {}, answer: { status: 'password_set' } };

export const PASSWORD_FORGOT = defineOperation({
  ...dashboardCall('account', 'POST /api/password/forgot'),
  name: 'password.forgot',
  summary: 'Sends an e-mail with a link for setting a new password',
  description: 'The answer is the same whether or not the address has an account.',
  access: FOR_VISITORS,
  body: { of: ForgotPasswordRequest, limitBytes: 4_096, example: { email: 'ada@example.com' } },
  answers: [{ type: 'application/json', of: ForgotPasswordAnswer, status: 202 }],
  problems: ['too_many_attempts'],
  examples: [{ title: 'An address', parameters: {}, answer: { status: 'link_sent_if_known' } }],
});

export const PASSWORD_RESET = defineOperation({
  ...dashboardCall('account', 'POST /api/password/reset'),
  name: 'password.reset',
  summary: 'Sets a new password, using the link from an e-mail, and ends all sessions',
  access: FOR_VISITORS,
  body: {
    of: ResetPasswordRequest,
    limitBytes: 4_096,
    example: { token: 'from-the-mail', password: 'another sentence' },
  },
  answers: [{ type: 'application/json', of: PasswordSetAnswer }],
  problems: ['link_invalid', 'too_many_attempts'],
  examples: [SET],
});

export const PASSWORD_CHANGE = defineOperation({
  ...dashboardCall('account', 'POST /api/password/change'),
  name: 'password.change',
  summary: 'Sets a new password, ends all sessions and starts a new one',
  body: {
    of: ChangePasswordRequest,
    limitBytes: 4_096,
    example: { current_password: 'a sentence is fine', password: 'another sentence' },
  },
  answers: [{ type: 'application/json', of: PasswordSetAnswer }],
  problems: ['wrong_credentials', 'too_many_attempts'],
  examples: [SET],
});
