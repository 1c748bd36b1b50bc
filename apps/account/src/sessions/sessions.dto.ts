import { IsString, Length } from 'class-validator';
import type { AccountState } from '#libs/contracts';
import type { ActiveSession } from './require-session.js';

/** No more is checked: a malformed address is as wrong as an unknown one. */
export class LogInRequest {
  @IsString()
  @Length(1, 254)
  email: string;

  @IsString()
  @Length(1, 1_000)
  password: string;
}

export class ReauthenticateRequest {
  @IsString()
  @Length(1, 1_000)
  password: string;
}

export interface SessionResponse {
  account_id: string;
  person_id: string;
  account_state: AccountState;
  restorable_until?: string;
}

export interface ListedSession {
  id: string;
  current: boolean;
  address: string;
  user_agent: string;
  created_at: string;
  last_seen_at: string;
}

export function toSessionResponse(
  session: Pick<ActiveSession, 'accountId' | 'personId' | 'accountState' | 'restoreUntil'>,
): SessionResponse {
  return {
    account_id: session.accountId,
    person_id: session.personId,
    account_state: session.accountState,
    ...(session.restoreUntil && { restorable_until: session.restoreUntil.toISOString() }),
  };
}
