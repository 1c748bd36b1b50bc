import type { ServerResponse } from 'node:http';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, finalize } from 'rxjs';
import { RecentUse, SECOND_MS, monotonicMs } from '#libs/platform';
import { TooManyCalls } from './service-calls.errors.js';

/** Maximum number of concurrent calls per account, which is the number of connections that a browser opens. */
const OF_AN_ACCOUNT = 6;
/** Maximum number of calls of an account that are worked on; its other calls wait for them. */
const IN_WORK_OF_AN_ACCOUNT = 2;
const IN_WORK = 4;
/**
 * A call that takes longer waits for another service, and calls of other accounts no longer wait for it. The time is
 * short, because a few accounts with slow calls would otherwise delay everybody's pages.
 */
const WORK_MS = SECOND_MS / 4;
/** The longest wait of a call, whose session was checked before. */
const WAIT_MAX_MS = 8 * SECOND_MS;
/** Once this many accounts are counted, those whose last call was long ago are removed. */
const ACCOUNTS_MAX = 1_000;
const LITTLE_USE = 0.01;
const SESSIONS_MAX = 10_000;

interface Calls {
  underWay: number;
  inWork: number;
  readonly lately: RecentUse;
}

interface NewCall {
  calls: Calls;
  isTransfer: boolean;
}

interface WaitingCall extends NewCall {
  begin: (end: () => void) => void;
}

/**
 * Limits how many pages and calls of logged-in visitors are worked on at once: of one account, and of all accounts. A
 * page takes some 20 ms of CPU time, and many accounts may reload pages. Some calls wait for a payment processor, which
 * limits the rate of calls. Other calls wait for the account's lock, and each of them occupies one of the account
 * service's few database connections. Of the waiting calls, that of the account with the fewest latest calls comes
 * first, so that accounts that reload pages, however many, do not delay the others (S102).
 */
@Injectable()
export class CallsUnderWay implements NestInterceptor {
  private readonly ofAccounts = new Map<string, Calls>();
  /** The calls of the accounts of sessions, by token. The latest session is last. */
  private readonly ofSessions = new Map<string, Calls>();
  /** The earliest is first. */
  private readonly waiting = new Set<WaitingCall>();
  private readonly all = { inWork: 0 };

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
  checkBeforeSession(sessionToken = ''): void {
    const calls = this.ofSessions.get(sessionToken);
    if (calls && calls.underWay >= OF_AN_ACCOUNT) throw new TooManyCalls();
  }

  private noteSession(token: string, accountId: string): void {
    this.ofSessions.delete(token);
    this.ofSessions.set(token, this.callsOf(accountId));
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
    const calls = this.callsOf(accountId);
    if (calls.underWay >= OF_AN_ACCOUNT || answer.destroyed) throw new TooManyCalls();
    calls.underWay += 1;
    let endTurn;
    try {
      endTurn = await this.turnOf({ calls, isTransfer }, answer);
    } catch (error) {
      calls.underWay -= 1;
      throw error;
    }
    // The work and the answer, unless the client has already disconnected.
    let parts = answer.destroyed ? 1 : 2;
    const endPart = () => {
      parts -= 1;
      if (parts === 0) calls.underWay -= 1;
    };
    answer.once('close', endPart);
    return () => {
      endPart();
      endTurn();
    };
  }

  /** @returns a function that ends the turn. @throws TooManyCalls if the client disconnects or the wait is too long. */
  private async turnOf(newCall: NewCall, answer: ServerResponse): Promise<() => void> {
    const { promise, resolve: begin, reject } = Promise.withResolvers<() => void>();
    const call = { ...newCall, begin };
    const giveUp = () => {
      this.waiting.delete(call);
      reject(new TooManyCalls());
    };
    const timer = setTimeout(giveUp, WAIT_MAX_MS);
    answer.once('close', giveUp);
    this.waiting.add(call);
    this.beginNext();
    return promise.finally(() => {
      clearTimeout(timer);
      answer.off('close', giveUp);
    });
  }

  private beginNext(): void {
    while (this.all.inWork < IN_WORK) {
      const ready = [...this.waiting].filter(({ calls }) => calls.inWork < IN_WORK_OF_AN_ACCOUNT);
      if (ready.length === 0) return;
      const next = ready.reduce(fewerAt(monotonicMs()));
      this.waiting.delete(next);
      next.begin(this.beginWork(next));
    }
  }

  private beginWork({ calls, isTransfer }: NewCall): () => void {
    calls.lately.add(1, monotonicMs());
    const held = new Set<{ inWork: number }>([this.all, calls]);
    for (const one of held) one.inWork += 1;
    const release = (ones: Iterable<{ inWork: number }>) => {
      for (const one of ones) if (held.delete(one)) one.inWork -= 1;
      this.beginNext();
    };
    const timer = setTimeout(() => release(isTransfer ? held : [this.all]), WORK_MS);
    return () => {
      clearTimeout(timer);
      release(held);
    };
  }

  private callsOf(accountId: string): Calls {
    const known = this.ofAccounts.get(accountId);
    if (known) return known;
    if (this.ofAccounts.size >= ACCOUNTS_MAX) this.forgetOld(monotonicMs());
    const calls = { underWay: 0, inWork: 0, lately: new RecentUse() };
    this.ofAccounts.set(accountId, calls);
    return calls;
  }

  private forgetOld(nowMs: number): void {
    for (const [accountId, { underWay, lately }] of this.ofAccounts) {
      if (underWay === 0 && lately.at(nowMs) < LITTLE_USE) this.ofAccounts.delete(accountId);
    }
  }
}

const fewerAt = (nowMs: number) => (one: WaitingCall, other: WaitingCall) =>
  other.calls.lately.at(nowMs) < one.calls.lately.at(nowMs) ? other : one;
