import type { AccountState } from './account.client.js';
import type { ServiceHttp } from './service-http.js';

/** An account that a text leads to, and by what. */
export interface AccountMatch {
  accountId: string;
  /** What the text is: `e-mail`, `key "Server"`, `payment …`. */
  matched: string;
}

/** What the operator sees first of an account. */
export interface AccountSummary {
  accountId: string;
  state: AccountState;
  /** Null once erased. */
  email: string | null;
  firstName: string | null;
  /** RFC 3339, as all times here. */
  createdAt: string;
  deletedAt?: string;
  restorableUntil?: string;
  suspendedAt?: string;
  suspendedBecause?: string;
}

export interface SuspensionAnswer {
  /** False when the account was in that state before. */
  hasChanged: boolean;
}

/** Typed calls of the operators' commands to account's internal routes. */
export class AccountDeskClient {
  /** @param operator who acts, for the audit log. */
  constructor(
    private readonly http: ServiceHttp,
    private readonly operator: string,
  ) {}

  /** By e-mail address, account id or the last four characters of a key. */
  async find(text: string): Promise<AccountMatch[]> {
    return this.http.call('POST', '/internal/operator/accounts/matches', { body: { text } });
  }

  /** Reads a person's name and address, and writes that down. @throws Problem 404. */
  async inspect(accountId: string): Promise<AccountSummary> {
    const body = { operator: this.operator };
    return this.http.call('POST', '/internal/operator/accounts/inspect', { accountId, body });
  }

  /** Its keys answer 403 `account_suspended` within a second. @throws Problem 404. */
  async suspend(accountId: string, reason: string): Promise<SuspensionAnswer> {
    const body = { operator: this.operator, reason };
    return this.http.call('POST', '/internal/operator/accounts/suspend', { accountId, body });
  }

  /** Undoes the suspension and nothing else. @throws Problem 404. */
  async unsuspend(accountId: string, reason: string): Promise<SuspensionAnswer> {
    const body = { operator: this.operator, reason };
    return this.http.call('POST', '/internal/operator/accounts/unsuspend', { accountId, body });
  }
}
