import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsString, Length, ValidateNested } from 'class-validator';
import { text } from '../kinds.js';
import { defineOperation } from '../operation.js';
import { IsKnownPassword } from './text-rules.js';

/** No more is checked: a malformed address is as wrong as an unknown one. */
export class LogInRequest {
  @IsString()
  @Length(1, 254)
  email: string;

  @IsKnownPassword()
  password: string;
}

export class ReauthenticateRequest {
  @IsKnownPassword()
  password: string;
}

/** Whose session it is. */
export class CurrentSessionAnswer {
  @IsString()
  account_id: string;

  @IsString()
  person_id: string;

  @IsIn(['active', 'deleted'])
  account_state: string;

  /** Set for a deleted account, RFC 3339. */
  @IsOptional()
  @IsString()
  restorable_until?: string;

  /** Of a suspended account, in the operator's words. */
  @IsOptional()
  @IsString()
  suspended_because?: string;
}

export class LoggedOutAnswer {
  @IsIn(['logged_out'])
  status: 'logged_out';
}

export class ListedSession {
  @IsString()
  id: string;

  /** Whether it is the one that asks. */
  @IsBoolean()
  current: boolean;

  @IsString()
  address: string;

  @IsString()
  user_agent: string;

  @IsString()
  created_at: string;

  @IsString()
  last_seen_at: string;
}

export class SessionsAnswer {
  @ValidateNested({ each: true })
  @Type(() => ListedSession)
  sessions: ListedSession[];
}

export class SessionEndedAnswer {
  @IsBoolean()
  ended: true;
}

const ID = '019a5f00-0000-7000-8000-000000000003';
const CURRENT = {
  account_id: '019a5f00-0000-7000-8000-000000000001',
  person_id: '019a5f00-0000-7000-8000-000000000002',
  account_state: 'active',
};
const COMMON = { parameters: {}, price: { per: 'free' } } as const;
const IN_ANY_STATE = { kind: 'session', accountStates: ['active', 'deleted'] } as const;

export const LOG_IN = defineOperation({
  ...COMMON,
  name: 'session.log-in',
  summary: 'Begins a session',
  method: 'POST',
  routes: [{ path: '/api/log-in', version: 2 }],
  access: { kind: 'public', listener: 'dashboard' },
  owner: { service: 'account', path: '/internal/dashboard/log-in' },
  body: {
    of: LogInRequest,
    limitBytes: 4_096,
    example: { email: 'ada@example.com', password: 'a sentence is fine' },
  },
  answers: [{ type: 'application/json', of: CurrentSessionAnswer }],
  problems: ['wrong_credentials', 'too_many_attempts', 'too_busy'],
  examples: [{ title: 'The right password', parameters: {}, answer: CURRENT }],
});

export const LOG_OUT = defineOperation({
  ...COMMON,
  name: 'session.log-out',
  summary: 'Ends the session',
  method: 'POST',
  routes: [{ path: '/api/log-out', version: 2 }],
  access: IN_ANY_STATE,
  owner: { service: 'account', path: '/internal/dashboard/log-out' },
  answers: [{ type: 'application/json', of: LoggedOutAnswer }],
  problems: [],
  examples: [{ title: 'A session', parameters: {}, answer: { status: 'logged_out' } }],
});

export const SESSION = defineOperation({
  ...COMMON,
  name: 'session.read',
  summary: 'Whose session it is, and how its account stands',
  method: 'GET',
  routes: [{ path: '/api/session', version: 2 }],
  access: IN_ANY_STATE,
  owner: { service: 'account', path: '/internal/dashboard/session' },
  answers: [{ type: 'application/json', of: CurrentSessionAnswer }],
  problems: [],
  examples: [
    { title: 'An account in use', parameters: {}, answer: CURRENT },
    {
      title: 'A deleted account',
      parameters: {},
      answer: {
        ...CURRENT,
        account_state: 'deleted',
        restorable_until: '2027-02-18T10:00:00.000Z',
      },
    },
  ],
});

export const REAUTHENTICATE = defineOperation({
  ...COMMON,
  name: 'session.reauthenticate',
  summary: 'Checks the password again, for calls that ask for one of the last ten minutes',
  method: 'POST',
  routes: [{ path: '/api/session/reauthenticate', version: 2 }],
  access: { kind: 'session' },
  owner: { service: 'account', path: '/internal/dashboard/session/reauthenticate' },
  body: {
    of: ReauthenticateRequest,
    limitBytes: 4_096,
    example: { password: 'a sentence is fine' },
  },
  answers: [{ type: 'application/json', of: CurrentSessionAnswer }],
  problems: ['wrong_credentials', 'too_many_attempts', 'too_busy'],
  examples: [{ title: 'The right password', parameters: {}, answer: CURRENT }],
});

export const SESSIONS = defineOperation({
  ...COMMON,
  name: 'session.list',
  summary: 'The open sessions of the account',
  method: 'GET',
  routes: [{ path: '/api/sessions', version: 2 }],
  access: { kind: 'session' },
  owner: { service: 'account', path: '/internal/dashboard/sessions' },
  answers: [{ type: 'application/json', of: SessionsAnswer }],
  problems: [],
  examples: [
    {
      title: 'One session',
      parameters: {},
      answer: {
        sessions: [
          {
            id: ID,
            current: true,
            address: '192.0.2.1',
            user_agent: 'Mozilla/5.0',
            created_at: '2026-11-20T10:00:00.000Z',
            last_seen_at: '2026-11-20T10:05:00.000Z',
          },
        ],
      },
    },
  ],
});

export const SESSION_END = defineOperation({
  ...COMMON,
  name: 'session.end',
  summary: 'Ends one session',
  method: 'DELETE',
  routes: [{ path: '/api/sessions/{id}', version: 2 }],
  access: { kind: 'session' },
  owner: { service: 'account', path: '/internal/dashboard/sessions/{id}' },
  parameters: { id: { kind: text(64), about: 'Id of the session', example: ID, in: 'path' } },
  answers: [{ type: 'application/json', of: SessionEndedAnswer }],
  problems: ['not_found'],
  examples: [{ title: 'A session', parameters: { id: ID }, answer: { ended: true } }],
});
