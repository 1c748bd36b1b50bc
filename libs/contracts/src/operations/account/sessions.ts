import { IsBoolean, IsIn, IsOptional, IsString, Length } from 'class-validator';
import { IsCount, NestedList, OptionalText } from '../../members.js';
import { FOR_VISITORS, IN_ANY_STATE, dashboardCall, idOf } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { IsKnownPassword } from './text-rules.js';

/**
 * The credentials of a log-in. The format of the address is not checked: a malformed address is treated like an
 * unknown one.
 */
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

/** The person that the session belongs to, and that person's account. */
export class CurrentSessionAnswer {
  @IsString()
  account_id: string;

  @IsString()
  person_id: string;

  @IsIn(['active', 'deleted'])
  account_state: string;

  /** Set for a deleted account, RFC 3339. */
  @OptionalText()
  restorable_until?: string;

  /** Why the account is suspended, in the operator's words. */
  @OptionalText()
  suspended_because?: string;
}

/** A new session, or the next step of the log-in. */
export class LogInAnswer {
  /** A code is required: `POST /api/log-in/code`. Absent once a session has begun. */
  @IsOptional()
  @IsIn(['code'])
  needs?: 'code';

  @OptionalText()
  account_id?: string;

  @OptionalText()
  person_id?: string;

  @IsOptional()
  @IsIn(['active', 'deleted'])
  account_state?: string;

  /** Set for a deleted account, RFC 3339. */
  @OptionalText()
  restorable_until?: string;

  /** Why the account is suspended, in the operator's words. */
  @OptionalText()
  suspended_because?: string;
}

export class LoggedOutAnswer {
  @IsIn(['logged_out'])
  status: 'logged_out';
}

export class ListedSession {
  @IsString()
  id: string;

  /** Whether this request belongs to the session. */
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
  @NestedList(() => ListedSession)
  sessions: ListedSession[];
}

export class SessionEndedAnswer {
  @IsBoolean()
  ended: true;
}

export class OthersEndedAnswer {
  /** Number of sessions ended. */
  @IsCount()
  ended: number;
}

const ID = '019a5f00-0000-7000-8000-000000000003';
export const CURRENT = {
  account_id: '019a5f00-0000-7000-8000-000000000001',
  person_id: '019a5f00-0000-7000-8000-000000000002',
  account_state: 'active',
};

export const LOG_IN = defineOperation({
  ...dashboardCall('account', 'POST /api/log-in'),
  name: 'session.log-in',
  summary: 'Logs in',
  access: FOR_VISITORS,
  body: {
    of: LogInRequest,
    limitBytes: 4_096,
    example: { email: 'ada@example.com', password: 'a sentence is fine' },
  },
  answers: [{ type: 'application/json', of: LogInAnswer }],
  problems: ['wrong_credentials', 'identity_taken', 'too_many_attempts'],
  examples: [
    { title: 'The right password', parameters: {}, answer: CURRENT },
    {
      title: 'The correct password of an account with an authenticator app',
      parameters: {},
      answer: { needs: 'code' },
    },
  ],
});

export const LOG_OUT = defineOperation({
  ...dashboardCall('account', 'POST /api/log-out'),
  name: 'session.log-out',
  summary: 'Logs out',
  access: IN_ANY_STATE,
  answers: [{ type: 'application/json', of: LoggedOutAnswer }],
  problems: [],
  examples: [{ title: 'A session', parameters: {}, answer: { status: 'logged_out' } }],
});

export const SESSION = defineOperation({
  ...dashboardCall('account', 'GET /api/session'),
  name: 'session.read',
  summary: 'The user of the session and the state of the account',
  access: IN_ANY_STATE,
  answers: [{ type: 'application/json', of: CurrentSessionAnswer }],
  problems: [],
  examples: [
    { title: 'An active account', parameters: {}, answer: CURRENT },
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
  ...dashboardCall('account', 'POST /api/session/reauthenticate'),
  name: 'session.reauthenticate',
  summary: 'Checks the password again, for calls that require a check within the last ten minutes',
  body: {
    of: ReauthenticateRequest,
    limitBytes: 4_096,
    example: { password: 'a sentence is fine' },
  },
  answers: [{ type: 'application/json', of: CurrentSessionAnswer }],
  problems: ['wrong_credentials', 'too_many_attempts'],
  examples: [{ title: 'The right password', parameters: {}, answer: CURRENT }],
});

export const SESSIONS = defineOperation({
  ...dashboardCall('account', 'GET /api/sessions'),
  name: 'session.list',
  summary: 'The open sessions of the account',
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
  ...dashboardCall('account', 'DELETE /api/sessions/{id}'),
  name: 'session.end',
  summary: 'Ends one session',
  parameters: idOf('session', ID),
  answers: [{ type: 'application/json', of: SessionEndedAnswer }],
  problems: ['not_found'],
  examples: [{ title: 'A session', parameters: { id: ID }, answer: { ended: true } }],
});

export const SESSIONS_END_OTHERS = defineOperation({
  ...dashboardCall('account', 'DELETE /api/sessions'),
  name: 'session.end-others',
  summary: 'Ends all other sessions of the account',
  answers: [{ type: 'application/json', of: OthersEndedAnswer }],
  problems: [],
  examples: [{ title: 'Two others', parameters: {}, answer: { ended: 2 } }],
});
