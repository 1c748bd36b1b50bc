import { Injectable } from '@nestjs/common';
import {
  type Allowance,
  type AskedDays,
  type BalanceAnswer,
  type CreditsOverview,
  type KeyUsageAnswer,
  type LedgerAnswer,
  type Method,
  PROCESSOR_TIMEOUT_MS,
  type RequestsAnswer,
  type UsageAnswer,
  type UsageOverview,
} from '#libs/contracts';
import { AccountDeletedProblem, AccountSuspended } from '#libs/public-http';
import { ServiceProxies } from './service-calls/service-proxies.js';
import type { ProxiedAnswer, BrowserCaller } from './service-calls/service-proxy.js';
import { type Session, currentSession } from './service-calls/sessions.js';
import { Services } from './services.js';

export interface PageCall {
  method: Method;
  path: string;
  body?: object;
  idempotencyKey?: string;
  timeoutMs?: number;
  answerBytes?: number;
}

/** A lookup or search that a page makes for an account, at the same price as with a key. */
export interface PageQuestion {
  operation: string;
  /** The operation's parameters, as in a query string. */
  query: string;
  body?: object;
  /** `test` returns samples, free of charge. */
  environment: 'live' | 'test';
}

/**
 * The limits of lookups and searches, which are higher than those of other calls, because the
 * gateway waits for sources, and a page of records with their source texts is large.
 */
const QUESTION = { timeoutMs: 30_000, answerBytes: 8 * 1024 * 1024 };

@Injectable()
export class DashboardCalls {
  constructor(
    private readonly proxies: ServiceProxies,
    private readonly services: Services,
  ) {}

  /**
   * Calls a path below `/internal/dashboard`. The account service reads the session itself.
   * @throws TooManyCalls, ServiceUnavailable.
   */
  async account(visitor: BrowserCaller, call: PageCall): Promise<ProxiedAnswer> {
    const path = `/internal/dashboard${call.path}`;
    return this.proxies.of('account').call({ ...call, path, visitor });
  }

  /**
   * Calls a path below `/internal` for the session's account. A change may wait for a payment processor. @throws
   * AccountDeletedProblem, TooManyCalls, ServiceUnavailable.
   */
  async billing(visitor: BrowserCaller, session: Session, call: PageCall): Promise<ProxiedAnswer> {
    const limit = call.method === 'GET' ? {} : { timeoutMs: PROCESSOR_TIMEOUT_MS };
    return this.ofActive('billing', visitor, session, { ...limit, ...call });
  }

  async worker(visitor: BrowserCaller, session: Session, call: PageCall): Promise<ProxiedAnswer> {
    return this.ofActive('worker', visitor, session, call);
  }

  /**
   * Sends a request to the gateway, as if with a key of the account. @throws AccountSuspended, AccountDeletedProblem,
   * TooManyCalls, ServiceUnavailable.
   */
  async ask(visitor: BrowserCaller, session: Session, body: PageQuestion): Promise<ProxiedAnswer> {
    // Entitlement learns about a suspension only later, from an event.
    if (session.suspendedBecause) throw new AccountSuspended();
    const call = { method: 'POST', path: '/questions', body, ...QUESTION } as const;
    return this.ofActive('gateway', visitor, session, call);
  }

  /** Reads the visitor's session; null if there is none or it has ended. @throws TooManyCalls, ServiceUnavailable. */
  async session(visitor: BrowserCaller): Promise<Session | null> {
    return currentSession(this.proxies.of('account'), visitor);
  }

  /** Reads the account's limits and rights; undefined while entitlement is unavailable. */
  async allowance({ accountId }: Session): Promise<Allowance | undefined> {
    return this.services.entitlement.allowance(accountId).catch(() => undefined);
  }

  async balance({ accountId }: Session): Promise<BalanceAnswer> {
    return this.services.entitlement.balance(accountId);
  }

  /**
   * Reads how many credits the account has left, including reserved ones; undefined while entitlement is unavailable.
   */
  async creditsOf(session: Session): Promise<number | undefined> {
    const asked = this.balance(session);
    return asked.then(({ spendable, reserved }) => spendable + reserved).catch(() => undefined);
  }

  /** @param values values that the operation's reader has checked. @param isDownload whether to read long pages. */
  async requests(
    { accountId }: Session,
    values: Readonly<Record<string, unknown>>,
    isDownload: boolean,
  ): Promise<RequestsAnswer> {
    return this.services.gateway.requests(accountId, values, isDownload);
  }

  /** Reads the usage, by default of the last 30 days. */
  async usage({ accountId }: Session, days: AskedDays = {}): Promise<UsageAnswer> {
    return this.services.gateway.usage(accountId, days);
  }

  async usageByKey({ accountId }: Session, days: AskedDays): Promise<KeyUsageAnswer> {
    return this.services.gateway.usageByKey(accountId, days);
  }

  /** Reads a page of the account's ledger. @param cursor the start of the page; empty for the newest lines. */
  async ledger({ accountId }: Session, cursor: string, pageSize?: number): Promise<LedgerAnswer> {
    return this.services.entitlement.ledger(accountId, cursor, pageSize);
  }

  /** Reads the account's balance, rights, newest ledger lines and daily changes in one call. */
  async creditsOverview({ accountId }: Session): Promise<CreditsOverview> {
    return this.services.entitlement.overview(accountId);
  }

  /**
   * Reads the usage of the last 30 days, and the requests in the last minute and in the busiest minute of the last
   * hour.
   */
  async usageOverview({ accountId }: Session): Promise<UsageOverview> {
    return this.services.gateway.usageOverview(accountId);
  }

  private async ofActive(
    service: 'billing' | 'worker' | 'gateway',
    visitor: BrowserCaller,
    session: Session,
    call: PageCall,
  ): Promise<ProxiedAnswer> {
    const { accountId, accountState } = session;
    if (accountState !== 'active') throw new AccountDeletedProblem();
    const path = `/internal${call.path}`;
    return this.proxies.of(service).call({ ...call, path, visitor, accountId });
  }
}
