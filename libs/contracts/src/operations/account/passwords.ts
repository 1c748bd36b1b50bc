import { IsIn, IsString, Length } from 'class-validator';
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

const COMMON = { method: 'POST', parameters: {}, price: { per: 'free' } } as const;
const SET = { title: 'A new password', parameters: {}, answer: { status: 'password_set' } };

export const PASSWORD_FORGOT = defineOperation({
  ...COMMON,
  name: 'password.forgot',
  summary: 'Mails a link by which a new password is set',
  description: 'The answer is the same whether or not the address has an account.',
  routes: [{ path: '/api/password/forgot', version: 2 }],
  access: { kind: 'public', listener: 'dashboard' },
  owner: { service: 'account', path: '/internal/dashboard/password/forgot' },
  body: { of: ForgotPasswordRequest, limitBytes: 4_096, example: { email: 'ada@example.com' } },
  answers: [{ type: 'application/json', of: ForgotPasswordAnswer, status: 202 }],
  problems: ['too_many_attempts'],
  examples: [{ title: 'An address', parameters: {}, answer: { status: 'link_sent_if_known' } }],
});

export const PASSWORD_RESET = defineOperation({
  ...COMMON,
  name: 'password.reset',
  summary: 'Sets a new password by a mailed link and ends all sessions',
  routes: [{ path: '/api/password/reset', version: 2 }],
  access: { kind: 'public', listener: 'dashboard' },
  owner: { service: 'account', path: '/internal/dashboard/password/reset' },
  body: {
    of: ResetPasswordRequest,
    limitBytes: 4_096,
    example: { token: 'from-the-mail', password: 'another sentence' },
  },
  answers: [{ type: 'application/json', of: PasswordSetAnswer }],
  problems: ['link_invalid', 'too_busy'],
  examples: [SET],
});

export const PASSWORD_CHANGE = defineOperation({
  ...COMMON,
  name: 'password.change',
  summary: 'Sets a new password, ends all sessions and begins a new one',
  routes: [{ path: '/api/password/change', version: 2 }],
  access: { kind: 'session' },
  owner: { service: 'account', path: '/internal/dashboard/password/change' },
  body: {
    of: ChangePasswordRequest,
    limitBytes: 4_096,
    example: { current_password: 'a sentence is fine', password: 'another sentence' },
  },
  answers: [{ type: 'application/json', of: PasswordSetAnswer }],
  problems: ['wrong_credentials', 'too_many_attempts', 'too_busy'],
  examples: [SET],
});
