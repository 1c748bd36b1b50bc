import { Injectable } from '@nestjs/common';
import {
  type BalanceAnswer,
  type LedgerAnswer,
  type Method,
  type RequestsAnswer,
  type UsageAnswer,
} from '#libs/contracts';
import { AccountDeletedProblem } from '#libs/public-http';
import { ServiceProxies } from './proxy/service-proxies.js';
import type { ProxiedAnswer, Visitor } from './proxy/service-proxy.js';
import { type Session, currentSession } from './proxy/sessions.js';
import { Services } from './services.js';

/** A call of another service's, as a page makes it. */
export interface PageCall {
  method: Method;
  /** Below what the owner keeps for the dashboard. */
  path: string;
  body?: object;
  idempotencyKey?: string;
}

/** What the pages ask of other services. */
@Injectable()
export class DashboardCalls {
  constructor(
    private readonly proxies: ServiceProxies,
    private readonly services: Services,
  ) {}

  /** Below `/internal/dashboard`; account reads the session itself. */
  async account(visitor: Visitor, call: PageCall): Promise<ProxiedAnswer> {
    const path = `/internal/dashboard${call.path}`;
    return this.proxies.of('account').call({ ...call, path, visitor });
  }

  /** Below `/internal`, for the account of the session. @throws AccountDeletedProblem. */
  async billing(visitor: Visitor, session: Session, call: PageCall): Promise<ProxiedAnswer> {
    return this.ofActive('billing', visitor, session, call);
  }

  /** As `billing`. */
  async worker(visitor: Visitor, session: Session, call: PageCall): Promise<ProxiedAnswer> {
    return this.ofActive('worker', visitor, session, call);
  }

  /** Null for a visitor without a live session. */
  async session(visitor: Visitor): Promise<Session | null> {
    return currentSession(this.proxies.of('account'), visitor);
  }

  /** How many live keys the account's plan allows; undefined while entitlement is unavailable. */
  async keysAllowed({ accountId }: Session): Promise<number | undefined> {
    const asked = this.services.entitlement.allowance(accountId);
    return asked.then(({ keys }) => keys).catch(() => undefined);
  }

  async balance({ accountId }: Session): Promise<BalanceAnswer> {
    return this.services.entitlement.balance(accountId);
  }

  /** @param values checked by the row's reader. */
  async requests(
    { accountId }: Session,
    values: Readonly<Record<string, unknown>>,
  ): Promise<RequestsAnswer> {
    return this.services.gateway.requests(accountId, values);
  }

  /** Of the last 30 days. */
  async usage({ accountId }: Session): Promise<UsageAnswer> {
    return this.services.gateway.usage(accountId);
  }

  /** The newest page. */
  async ledger({ accountId }: Session): Promise<LedgerAnswer> {
    return this.services.entitlement.ledger(accountId);
  }

  // oxlint-disable-next-line eslint/max-params -- whom is asked, for whom, and what
  private async ofActive(
    service: 'billing' | 'worker',
    visitor: Visitor,
    session: Session,
    call: PageCall,
  ): Promise<ProxiedAnswer> {
    const { accountId, accountState } = session;
    if (accountState !== 'active') throw new AccountDeletedProblem();
    const path = `/internal${call.path}`;
    return this.proxies.of(service).call({ ...call, path, visitor, accountId });
  }
}
