import type { AccountState } from './account.client.js';
import {
  type InspectionsQuestion,
  type TimelineEntry,
  type TimelineQuestion,
  timelinePath,
} from './timeline.js';
import type { KeyAnswer } from '../operations/keys/key-answer.js';
import type { ServiceHttp } from './service-http.js';

export interface AccountMatch {
  accountId: string;
  /** What matched: `e-mail`, `key … "Server"`, `payment …`. */
  matched: string;
}

export interface AccountSummary {
  accountId: string;
  state: AccountState;
  /** Null after erasure. */
  email: string | null;
  firstName: string | null;
  /** RFC 3339, like all times here. */
  createdAt: string;
  deletedAt?: string;
  restorableUntil?: string;
  suspendedAt?: string;
  suspendedBecause?: string;
}

export const LISTED_STANDINGS = ['active', 'suspended', 'deleted', 'erased'] as const;
export type ListedStanding = (typeof LISTED_STANDINGS)[number];

/**
 * An account in a list, without its owner's data. Only `inspect` returns that data, after it has recorded the
 * inspection.
 */
export interface ListedAccount {
  accountId: string;
  state: AccountState;
  /** RFC 3339, like all times here. */
  createdAt: string;
  deletedAt: string | null;
  suspendedAt: string | null;
  suspendedBecause: string | null;
}

export interface AuditLine {
  /** The position in the hash chain, which rises by one; decimal string. */
  position: string;
  at: string;
  /** `person:<id>`, `key:<id>`, `operator:<name>`, `anonymous` or `system`. */
  actor: string;
  action: string;
  /** `<kind>:<id>`. */
  object: string;
  requestId: string;
}

/** Operators' actions at other services, which account records before they are carried out. */
export const OPERATOR_ORDERS = [
  'grant-credits',
  'revoke-credits',
  'override-limit',
  'lift-override',
  'block-downloads',
  'unblock-downloads',
  'cancel-subscription',
  'resend-receipt',
  'refund',
  'retry-refund',
  'dismiss-refund',
  'replay-callback',
  'reconcile',
  'redrive-events',
  'discard-event',
  'redrive-work',
  'discard-work',
  'suppress',
  'add-source',
  'set-source',
  'run-source',
  'remove-source',
] as const;

export interface OperatorOrder {
  /** Absent for actions that do not concern one account. */
  accountId?: string;
  order: (typeof OPERATOR_ORDERS)[number];
  /** `<kind>:<id>`. */
  object: string;
  reason: string;
}

export interface SuspensionAnswer {
  /** False if the account was already in that state. */
  hasChanged: boolean;
}

export class AccountDeskClient {
  /** @param operator the acting operator, for the audit log. */
  constructor(
    private readonly http: ServiceHttp,
    private readonly operator: string,
  ) {}

  /** Finds accounts by e-mail address, account id, request id or the last four characters of a key. */
  async find(text: string): Promise<AccountMatch[]> {
    return this.http.call('POST', '/internal/operator/accounts/matches', { body: { text } });
  }

  /** Lists accounts, newest first. @param page `before`: the last account of the previous page. */
  async list(page: {
    standing?: ListedStanding;
    before?: string;
    limit: number;
  }): Promise<ListedAccount[]> {
    return this.http.call('POST', '/internal/operator/accounts/list', { body: page });
  }

  /** Returns a page of the audit log of an account or, without an account, of the installation, newest first. */
  async auditEntries(
    accountId: string | undefined,
    page: { before?: string; limit: number },
  ): Promise<AuditLine[]> {
    return this.http.call('POST', '/internal/operator/audit/entries', { accountId, body: page });
  }

  /** Returns the first page of an account's keys, newest first, as the customer sees them. */
  async keys(accountId: string): Promise<KeyAnswer[]> {
    return this.http.call('POST', '/internal/operator/keys/list', { accountId });
  }

  /** Revokes a key at once; a repetition changes nothing. @throws Problem 403 for a deleted account, 404. */
  async revokeKey(accountId: string, keyId: string): Promise<KeyAnswer> {
    const body = { operator: this.operator, keyId };
    return this.http.call('POST', '/internal/operator/keys/revoke', { accountId, body });
  }

  /** Reads an account's state with its owner's name and address, and records the inspection. @throws Problem 404. */
  async inspect(accountId: string): Promise<AccountSummary> {
    const body = { operator: this.operator };
    return this.http.call('POST', '/internal/operator/accounts/inspect', { accountId, body });
  }

  /**
   * Suspends an account. Requests with its keys get 403 `account_suspended` within a second after the call.
   * @throws Problem 404.
   */
  async suspend(accountId: string, reason: string): Promise<SuspensionAnswer> {
    const body = { operator: this.operator, reason };
    return this.http.call('POST', '/internal/operator/accounts/suspend', { accountId, body });
  }

  /** Lifts a suspension. @throws Problem 404. */
  async unsuspend(accountId: string, reason: string): Promise<SuspensionAnswer> {
    const body = { operator: this.operator, reason };
    return this.http.call('POST', '/internal/operator/accounts/unsuspend', { accountId, body });
  }

  /** Removes the authenticator app of an owner who lost it; the owner is notified by e-mail. @throws Problem 404. */
  async liftSecondFactor(accountId: string, reason: string): Promise<SuspensionAnswer> {
    const body = { operator: this.operator, reason };
    const path = '/internal/operator/accounts/lift-second-factor';
    return this.http.call('POST', path, { accountId, body });
  }

  /**
   * Records in the audit log an action that is about to be performed at another service.
   * @throws Problem 404 for an unknown account.
   */
  async note({ accountId, ...order }: OperatorOrder): Promise<void> {
    const body = { operator: this.operator, ...order };
    await this.http.call('POST', '/internal/operator/accounts/orders', { accountId, body });
  }

  /** Returns a page of the account's timeline. @param withInspections whether to include inspections by operators. */
  async timeline(
    accountId: string,
    question: TimelineQuestion,
    withInspections: boolean,
  ): Promise<TimelineEntry[]> {
    const path = timelinePath(question) + (withInspections ? '&inspections=shown' : '');
    return this.http.call('GET', path, { accountId });
  }

  async countInspections(accountId: string, part: InspectionsQuestion): Promise<number> {
    const query = new URLSearchParams({ ...part });
    const path = `/internal/operator/timeline/inspections?${query}`;
    return (await this.http.call<{ inspections: number }>('GET', path, { accountId })).inspections;
  }
}
