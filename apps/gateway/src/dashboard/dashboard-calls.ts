import type { Balance, EntitlementClient, LedgerLine } from '#libs/contracts';
import { NotLoggedIn } from '#libs/platform';
import type {
  AccountAnswer,
  AccountCall,
  AccountRelay,
  Session,
  Visitor,
} from './account-relay.js';

const ADDS_A_KEY = /^\/keys(\/[^/]+\/reissue)?$/;

/** Everything the dashboard asks of other services, for its JSON routes and its pages alike. */
export class DashboardCalls {
  constructor(
    private readonly accounts: AccountRelay,
    private readonly entitlement: EntitlementClient,
  ) {}

  /** A call that adds a key says how many keys the plan allows, which account does not know. */
  async account(call: AccountCall): Promise<AccountAnswer> {
    if (call.method !== 'POST' || !ADDS_A_KEY.test(call.path)) return this.accounts.call(call);
    const session = await this.sessionOf(call.visitor);
    const { keys } = await this.entitlement.allowance(session.accountId);
    return this.accounts.call({ ...call, keyAllowance: keys });
  }

  async session(visitor: Visitor): Promise<Session | null> {
    return this.accounts.session(visitor);
  }

  async balance(visitor: Visitor): Promise<Balance> {
    const session = await this.sessionOf(visitor);
    return this.entitlement.balance(session.accountId);
  }

  /** Newest first, one page; `cursor` is the previous page's `nextCursor`. */
  async ledger(
    visitor: Visitor,
    cursor?: string,
  ): Promise<{ items: LedgerLine[]; nextCursor?: string }> {
    const session = await this.sessionOf(visitor);
    return this.entitlement.ledger(session.accountId, cursor);
  }

  /** @throws NotLoggedIn without a live session. */
  private async sessionOf(visitor: Visitor): Promise<Session> {
    const session = await this.accounts.session(visitor);
    if (!session) throw new NotLoggedIn();
    return session;
  }
}
