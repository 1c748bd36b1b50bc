import type { ServerResponse } from 'node:http';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Observable, finalize } from 'rxjs';
import {
  FairTurns,
  type FairTurnsLimits,
  SECOND_MS,
  makeUnimportant,
  siteOf,
} from '#libs/platform';
import { TooManyCalls } from './service-calls.errors.js';
import type { BrowserCaller } from './service-proxy.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the turn of a request with a session; must be called once the request's work has ended. */
    endTurn?: () => void;
  }
}

/** Maximum number of concurrent calls per account, which is the number of connections that a browser opens. */
const OF_AN_ACCOUNT = 6;
/** The same limit for a site's calls whose accounts are not known yet. */
const OF_A_SITE = 64;
/**
 * A call that takes longer is probably waiting for another service, and no longer keeps other calls waiting. The time
 * is short, because a few accounts with slow calls would otherwise delay everybody's pages.
 */
const WORK_MS = SECOND_MS / 4;
const TURNS: Omit<FairTurnsLimits, 'atOnce'> = {
  ofAccount: 2,
  ofAccountMax: OF_A_SITE,
  waitingMax: Infinity,
  waitMaxMs: 8 * SECOND_MS,
  countedMs: WORK_MS,
};
const SESSIONS_MAX = 10_000;
/** The delay of a rejection, except for the few that an account gets without delay within this time. */
const REFUSAL_DELAY_MS = 4 * SECOND_MS;
const REFUSED_AT_ONCE = 4;

/**
 * Limits how many pages and calls of logged-in visitors are worked on at once: of one account, and of all accounts. A
 * page takes some 20 ms of CPU time, spread over several services, and many accounts may reload pages. Some calls wait
 * for a payment processor, which limits the rate of calls. Other calls wait for the account's lock, and each of them
 * occupies one of the account service's few database connections. Accounts take turns by the number of their calls, so
 * that accounts that reload pages, however many, hardly delay the others (S102). The more accounts of a site have calls
 * at the same time, the more each of their turns counts, because one person may own many trial accounts. The check of a
 * session takes as long as a quick call, so it is part of the turn. Calls whose accounts are not known yet take the
 * turns of their sites.
 */
export class CallsUnderWay implements NestInterceptor {
  private readonly turns: FairTurns;
  /** The number of calls of each account or site. */
  private readonly underWay = new Map<string, number>();
  /** By site, the number of calls of each of its accounts. */
  private readonly ofSites = new Map<string, Map<string, number>>();
  /** The accounts of sessions, by token. The latest session is last. */
  private readonly ofSessions = new Map<string, string>();
  /** The number of recent rejections of each account or site. */
  private readonly refused = new Map<string, number>();

  /** @param atOnce how many pages and calls are worked on at once. */
  constructor(atOnce: number) {
    this.turns = new FairTurns({ ...TURNS, atOnce });
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { endTurn } = context.switchToHttp().getRequest<FastifyRequest>();
    return endTurn ? next.handle().pipe(finalize(endTurn)) : next.handle();
  }

  /** Clients that repeat refused calls at once would delay everybody's pages, so they wait. @throws TooManyCalls. */
  private async refuse(holder: string, answer: ServerResponse): Promise<never> {
    const refused = countOf(this.refused, holder);
    add(this.refused, holder, 1);
    const { promise: delay, resolve } = Promise.withResolvers<void>();
    setTimeout(() => {
      add(this.refused, holder, -1);
      resolve();
    }, REFUSAL_DELAY_MS).unref();
    makeUnimportant(answer);
    if (refused >= REFUSED_AT_ONCE) await delay;
    throw new TooManyCalls();
  }

  /** Remembers the account of a session. @param accountId undefined if the session has ended or never existed. */
  noteSession(token: string, accountId?: string): void {
    this.ofSessions.delete(token);
    if (accountId !== undefined) this.ofSessions.set(token, accountId);
    if (this.ofSessions.size > SESSIONS_MAX) {
      this.ofSessions.delete(this.ofSessions.keys().next().value!);
    }
  }

  /**
   * Waits until a call with a session may begin, and counts it until its work has ended and its answer has been sent.
   * Its turn ends with its work, because clients may read slowly. A client that disconnects ends the wait, but not the
   * work.
   * @param isTransfer whether the call may last as long as data is transferred; the account's other calls soon no
   *   longer wait for it.
   * @returns a function to be called once the work has ended. @throws TooManyCalls.
   */
  async enter(
    { sessionToken = '', clientAddress }: Pick<BrowserCaller, 'sessionToken' | 'clientAddress'>,
    answer: ServerResponse,
    isTransfer = false,
  ): Promise<() => void> {
    const accountId = this.ofSessions.get(sessionToken);
    const site = siteOf(clientAddress);
    const holder = accountId ?? site;
    const most = accountId === undefined ? OF_A_SITE : OF_AN_ACCOUNT;
    if (countOf(this.underWay, holder) >= most) await this.refuse(holder, answer);
    // The client may have disconnected while its request waited for the turn of its site.
    if (answer.destroyed) throw new TooManyCalls();
    const leave = this.count(holder, site);
    let endTurn;
    try {
      endTurn = await this.turnOf({ holder, site }, answer, isTransfer);
    } catch (error) {
      leave();
      throw error;
    }
    // The work and the answer, unless the client has already disconnected.
    let parts = answer.destroyed ? 1 : 2;
    const endPart = () => {
      parts -= 1;
      if (parts === 0) leave();
    };
    answer.once('close', endPart);
    return () => {
      endTurn();
      endPart();
    };
  }

  /** Counts a call of an account or site. @returns a function that removes it from the counts. */
  private count(holder: string, site: string): () => void {
    const atSite = this.ofSites.get(site) ?? new Map<string, number>();
    this.ofSites.set(site, atSite);
    const addCall = (change: number) => {
      for (const counts of [this.underWay, atSite]) add(counts, holder, change);
    };
    addCall(1);
    return () => {
      addCall(-1);
      if (atSite.size === 0) this.ofSites.delete(site);
    };
  }

  /**
   * Waits for the turn of an account or site.
   * @returns a function that ends the turn; the turn of a transfer also ends after `WORK_MS`.
   * @throws TooManyCalls if the client disconnects or the wait is too long.
   */
  private async turnOf(
    { holder, site }: { holder: string; site: string },
    answer: ServerResponse,
    isTransfer: boolean,
  ): Promise<() => void> {
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    answer.once('close', leave);
    const endTurn = await this.turns.begin(holder, leaving.signal);
    answer.off('close', leave);
    if (!endTurn) throw new TooManyCalls();
    let hasEnded = false;
    const end = () => {
      clearTimeout(timer);
      if (!hasEnded) endTurn(this.ofSites.get(site)!.size);
      hasEnded = true;
    };
    const timer = isTransfer ? setTimeout(end, WORK_MS) : undefined;
    return end;
  }
}

const countOf = (counts: ReadonlyMap<string, number>, holder: string) => counts.get(holder) ?? 0;

function add(counts: Map<string, number>, holder: string, change: number): void {
  const count = countOf(counts, holder) + change;
  if (count === 0) counts.delete(holder);
  else counts.set(holder, count);
}
