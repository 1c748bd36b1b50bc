import type { Balance, EntitlementClient, LedgerLine } from '#libs/contracts';
import { AccountDeletedProblem } from '../facts/facts.errors.js';
import type { ServiceProxies } from './proxy/service-proxies.js';
import type { Method, ProxiedAnswer, Visitor } from './proxy/service-proxy.js';
import { type Session, currentSession, requireSession } from './proxy/sessions.js';

/** A call of another service's, as a page makes it. */
export interface PageCall {
  method: Method;
  /** Below what the owner keeps for the gateway. */
  path: string;
  visitor: Visitor;
  body?: object;
  idempotencyKey?: string;
}

/** What the pages ask of other services. */
export class DashboardCalls {
  constructor(
    private readonly proxies: ServiceProxies,
    private readonly entitlement: EntitlementClient,
  ) {}

  /** Below `/internal/dashboard`; account reads the session itself. */
  async account(call: PageCall): Promise<ProxiedAnswer> {
    return this.accounts.call({ ...call, path: `/internal/dashboard${call.path}` });
  }

  /** Below `/internal`, for the account of the session. @throws NotLoggedIn, AccountDeletedProblem. */
  async billing(call: PageCall): Promise<ProxiedAnswer> {
    const { accountId, accountState } = await requireSession(this.accounts, call.visitor);
    if (accountState !== 'active') throw new AccountDeletedProblem();
    const path = `/internal${call.path}`;
    return this.proxies.of('billing').call({ ...call, path, accountId });
  }

  async session(visitor: Visitor): Promise<Session | null> {
    return currentSession(this.accounts, visitor);
  }

  /** How many live keys the account's plan lets work; undefined while entitlement does not say. */
  async keysAllowed(visitor: Visitor): Promise<number | undefined> {
    const session = await currentSession(this.accounts, visitor);
    if (!session) return undefined;
    const asked = this.entitlement.allowance(session.accountId);
    return asked.then(({ keys }) => keys).catch(() => undefined);
  }

  /** @throws NotLoggedIn without a live session. */
  async balance(visitor: Visitor): Promise<Balance> {
    const session = await requireSession(this.accounts, visitor);
    return this.entitlement.balance(session.accountId);
  }

  /** Newest first, one page; `cursor` is the previous page's `nextCursor`. @throws NotLoggedIn. */
  async ledger(
    visitor: Visitor,
    cursor?: string,
  ): Promise<{ items: LedgerLine[]; nextCursor?: string }> {
    const session = await requireSession(this.accounts, visitor);
    return this.entitlement.ledger(session.accountId, cursor);
  }

  private get accounts() {
    return this.proxies.of('account');
  }
}
