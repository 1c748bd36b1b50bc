import { Injectable } from '@nestjs/common';
import {
  type BalanceAnswer,
  EntitlementClient,
  type LedgerAnswer,
  type Method,
  REQUESTS,
  type RequestsAnswer,
} from '#libs/contracts';
import { AccountDeletedProblem } from '../auth-cache/auth-cache.errors.js';
import { OwnCalls } from './proxy/own-calls.js';
import { ServiceProxies } from './proxy/service-proxies.js';
import type { ProxiedAnswer, Visitor } from './proxy/service-proxy.js';
import { type Session, currentSession } from './proxy/sessions.js';

/** A call of another service's, as a page makes it. */
export interface PageCall {
  method: Method;
  /** Below what the owner keeps for the gateway. */
  path: string;
  body?: object;
  idempotencyKey?: string;
}

/** What the pages ask of other services. */
@Injectable()
export class DashboardCalls {
  constructor(
    private readonly proxies: ServiceProxies,
    private readonly entitlement: EntitlementClient,
    private readonly own: OwnCalls,
  ) {}

  /** Below `/internal/dashboard`; account reads the session itself. */
  async account(visitor: Visitor, call: PageCall): Promise<ProxiedAnswer> {
    const path = `/internal/dashboard${call.path}`;
    return this.proxies.of('account').call({ ...call, path, visitor });
  }

  /** Below `/internal`, for the account of the session. @throws AccountDeletedProblem. */
  async billing(visitor: Visitor, session: Session, call: PageCall): Promise<ProxiedAnswer> {
    const { accountId, accountState } = session;
    if (accountState !== 'active') throw new AccountDeletedProblem();
    const path = `/internal${call.path}`;
    return this.proxies.of('billing').call({ ...call, path, visitor, accountId });
  }

  /** Null for a visitor without a live session. */
  async session(visitor: Visitor): Promise<Session | null> {
    return currentSession(this.proxies.of('account'), visitor);
  }

  /** How many live keys the account's plan allows; undefined while entitlement is unavailable. */
  async keysAllowed({ accountId }: Session): Promise<number | undefined> {
    const asked = this.entitlement.allowance(accountId);
    return asked.then(({ keys }) => keys).catch(() => undefined);
  }

  async balance({ accountId }: Session): Promise<BalanceAnswer> {
    return this.entitlement.balance(accountId);
  }

  /** @param values checked by the row's reader. */
  async requests(
    { accountId }: Session,
    values: Readonly<Record<string, unknown>>,
  ): Promise<RequestsAnswer> {
    return this.own.answer(REQUESTS.name, values, accountId) as Promise<RequestsAnswer>;
  }

  /** The newest page. */
  async ledger({ accountId }: Session): Promise<LedgerAnswer> {
    return this.entitlement.ledger(accountId);
  }
}
