import type { ServerResponse } from 'node:http';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, finalize } from 'rxjs';
import { FairTurns, type FairTurnsLimits, SECOND_MS, makeUnimportant } from '#libs/platform';
import { TooManyCalls } from './service-calls.errors.js';

/** Maximum number of concurrent calls per account, which is the number of connections that a browser opens. */
const OF_AN_ACCOUNT = 6;
/**
 * A call that takes longer is probably waiting for another service, and no longer keeps other calls waiting. The time
 * is short, because a few accounts with slow calls would otherwise delay everybody's pages.
 */
const WORK_MS = SECOND_MS / 4;
const TURNS: FairTurnsLimits = {
  atOnce: 4,
  ofAccount: 2,
  ofAccountMax: OF_AN_ACCOUNT,
  waitingMax: Infinity,
  waitMaxMs: 8 * SECOND_MS,
  countedMs: WORK_MS,
};
const SESSIONS_MAX = 10_000;
/** The delay of a rejection, except for the few that an account gets at once in this time. */
const REFUSAL_DELAY_MS = 4 * SECOND_MS;
const REFUSED_AT_ONCE = 4;

/**
 * Limits how many pages and calls of logged-in visitors are worked on at once: of one account, and of all accounts. A
 * page takes some 20 ms of CPU time, and many accounts may reload pages. Some calls wait for a payment processor, which
 * limits the rate of calls. Other calls wait for the account's lock, and each of them occupies one of the account
 * service's few database connections. Accounts take turns by the number of their calls, so that accounts that reload
 * pages, however many, hardly delay the others (S102).
 */
@Injectable()
export class CallsUnderWay implements NestInterceptor {
  private readonly turns = new FairTurns(TURNS);
  /** The number of calls of each account. */
  private readonly underWay = new Map<string, number>();
  /** The accounts of sessions, by token. The latest session is last. */
  private readonly ofSessions = new Map<string, string>();
  /** The number of recent rejections of each account. */
  private readonly refused = new Map<string, number>();

  /** @throws TooManyCalls. */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const { session, visitor, routeOptions } = http.getRequest<FastifyRequest>();
    if (!session) return next.handle();
    this.noteSession(visitor.sessionToken!, session.accountId);
    const answer = http.getResponse<FastifyReply>().raw;
    const end = await this.enter(session.accountId, answer, routeOptions.config.isTransfer);
    return next.handle().pipe(finalize(end));
  }

  /**
   * Refuses a call of an account with too many calls before account checks the session, because that takes as long as a
   * quick call. @throws TooManyCalls.
   */
  async checkBeforeSession(answer: ServerResponse, sessionToken = ''): Promise<void> {
    const accountId = this.ofSessions.get(sessionToken) ?? '';
    if (countOf(this.underWay, accountId) >= OF_AN_ACCOUNT) await this.refuse(accountId, answer);
  }

  /** Clients that repeat refused calls at once would delay everybody's pages, so they wait. @throws TooManyCalls. */
  private async refuse(accountId: string, answer: ServerResponse): Promise<never> {
    const refused = countOf(this.refused, accountId);
    add(this.refused, accountId, 1);
    const { promise: delay, resolve } = Promise.withResolvers<void>();
    setTimeout(() => {
      add(this.refused, accountId, -1);
      resolve();
    }, REFUSAL_DELAY_MS).unref();
    makeUnimportant(answer);
    if (refused >= REFUSED_AT_ONCE) await delay;
    throw new TooManyCalls();
  }

  private noteSession(token: string, accountId: string): void {
    this.ofSessions.delete(token);
    this.ofSessions.set(token, accountId);
    if (this.ofSessions.size > SESSIONS_MAX) {
      this.ofSessions.delete(this.ofSessions.keys().next().value!);
    }
  }

  /**
   * Waits until a call may begin, and counts it until its work has ended and its answer has been sent. Its turn ends
   * with its work, because clients may read slowly. A client that disconnects ends the wait, but not the work.
   * @param isTransfer whether the call may last as long as data is transferred; the account's other calls soon no longer
   *   wait for it.
   * @returns a function to be called once the work has ended. @throws TooManyCalls.
   */
  async enter(accountId: string, answer: ServerResponse, isTransfer = false): Promise<() => void> {
    if (countOf(this.underWay, accountId) >= OF_AN_ACCOUNT) await this.refuse(accountId, answer);
    if (answer.destroyed) throw new TooManyCalls();
    add(this.underWay, accountId, 1);
    let endTurn;
    try {
      endTurn = await this.turnOf(accountId, answer, isTransfer);
    } catch (error) {
      add(this.underWay, accountId, -1);
      throw error;
    }
    // The work and the answer, unless the client has already disconnected.
    let parts = answer.destroyed ? 1 : 2;
    const endPart = () => {
      parts -= 1;
      if (parts === 0) add(this.underWay, accountId, -1);
    };
    answer.once('close', endPart);
    return () => {
      endPart();
      endTurn();
    };
  }

  /**
   * Waits for the account's turn.
   * @returns a function that ends the turn; the turn of a transfer also ends after `WORK_MS`.
   * @throws TooManyCalls if the client disconnects or the wait is too long.
   */
  private async turnOf(
    accountId: string,
    answer: ServerResponse,
    isTransfer: boolean,
  ): Promise<() => void> {
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    answer.once('close', leave);
    const endTurn = await this.turns.begin(accountId, leaving.signal);
    answer.off('close', leave);
    if (!endTurn) throw new TooManyCalls();
    let hasEnded = false;
    const end = () => {
      clearTimeout(timer);
      if (!hasEnded) endTurn(1);
      hasEnded = true;
    };
    const timer = isTransfer ? setTimeout(end, WORK_MS) : undefined;
    return end;
  }
}

const countOf = (counts: ReadonlyMap<string, number>, accountId: string) =>
  counts.get(accountId) ?? 0;

function add(counts: Map<string, number>, accountId: string, change: number): void {
  const count = countOf(counts, accountId) + change;
  if (count === 0) counts.delete(accountId);
  else counts.set(accountId, count);
}
