import { setTimeout as sleep } from 'node:timers/promises';
import type { EntitlementClient, HoldAnswer } from '#libs/contracts';
import {
  AccountTurns,
  type Clock,
  type Logger,
  MINUTE_MS,
  Problem,
  Semaphore,
  ServiceUnavailable,
  monotonicMs,
} from '#libs/platform';
import type { HoldUse } from '../lease/journal-lines.js';
import type { LeaseJournal } from '../lease/lease-journal.js';
import { CreditsBusy, InsufficientCredits } from '../lease/lease.errors.js';
import type { LeasePool, LeasePools } from '../lease/lease-pool.js';
import { LogLines } from '../request-log/log-line.js';
import { type HoldReports, RequestHold } from './request-hold.js';

export interface RequestHoldsOptions {
  client: Pick<EntitlementClient, 'hold' | 'settleHold' | 'closeHold'>;
  /** The journal, which keeps charges until entitlement has acknowledged them. */
  journal: Pick<LeaseJournal, 'holdOpened' | 'holdUsed' | 'holdPart' | 'holdClosed'>;
  pools: LeasePools;
  clock: Clock;
  logger: Logger;
  /** Maximum duration of a request after its credits have been reserved, in milliseconds. */
  requestDeadlineMs: number;
}

export interface HeldRequest {
  requestId: string;
  accountId: string;
  keyId: string;
  operation: string;
  version: number;
  subject: string;
  amount: number;
}

/** Maximum number of running calls: fewer than entitlement has connections, which leases and reads also need (S102). */
const CALLS_MAX = 6;
/** Maximum number of calls of an account that run or wait. A report that finds no place is repeated later. */
const WAITING_MAX = 1_000;
/** A request that has waited this long behind others of its account is rejected. */
const TURN_WAIT_MS = 5_000;
const ELSEWHERE_WAIT_MS = 300;
const ELSEWHERE_RETRY_MS = 50;
const RETRY_MS = 250;
/** The longest wait between two attempts, so that many open holds do not overload this process during an outage. */
const RETRY_MAX_MS = 10_000;
/** The row of the request log for a request whose gateway was killed. */
const BROKEN_OFF = { status: 200, outcome: 'broken_off', credits: 0, durationMs: 0 };

/** The holds of this gateway: one for each request that may be charged for several items. */
export class RequestHolds implements HoldReports {
  private readonly lines = new LogLines();
  private holdCount = 0;
  private readonly open = new Set<RequestHold>();
  /**
   * Limits the calls per account to one that entitlement handles and one that waits. Each waiting call occupies one of
   * entitlement's few database connections, so many calls for one account would delay all other leases (S102).
   */
  private readonly turns = new AccountTurns({ atOnce: 2, max: WAITING_MAX });
  private readonly calls = new Semaphore(CALLS_MAX);
  private readonly stopping = new AbortController();

  constructor(private readonly options: RequestHoldsOptions) {}

  /**
   * Holds the whole amount or nothing.
   * @returns the hold, whose `finish` must be called in any case, or the rejection: 402 or 503.
   */
  async reserve(held: HeldRequest): Promise<RequestHold | Problem> {
    // A hold that is opened from now on would neither be charged nor closed.
    if (this.stopping.signal.aborted) return new ServiceUnavailable('gateway');
    const { requestId: id, accountId, amount, operation } = held;
    const newHold = { id, accountId, amount, number: this.holdCount++, row: this.rowOf(held) };
    const hold = new RequestHold(newHold, this);
    const ttlMs = this.options.requestDeadlineMs + MINUTE_MS;
    const request = { accountId, holdId: id, amount, ttlMs, operation };
    const { client, pools } = this.options;
    const lateAtMs = monotonicMs() + TURN_WAIT_MS;
    let isAsked = false;
    const ask = async () =>
      this.inTurn(accountId, async () => {
        if (monotonicMs() > lateAtMs) return undefined;
        isAsked = true;
        return { call: pools.nextCall(), ...(await client.hold(request)) };
      });
    try {
      let answer = await ask();
      const giveUpAtMs = monotonicMs() + ELSEWHERE_WAIT_MS;
      while (answer?.outcome === 'elsewhere' && monotonicMs() < giveUpAtMs) {
        await sleep(ELSEWHERE_RETRY_MS);
        answer = await ask();
      }
      if (answer?.outcome !== 'held') return refusalOf(answer, amount);
      const pool = this.opened(hold);
      // Later balances come from settlements, because only their order relative to usage reports is known.
      if (pool.remaining === undefined) pool.noteBalance(answer.balance, answer.call);
      return hold;
    } catch (error) {
      // Entitlement may have opened the hold although its answer was lost, so the hold is closed by its id.
      if (isAsked) {
        this.opened(hold);
        hold.finish(0);
      }
      return new ServiceUnavailable('entitlement', error);
    }
  }

  charged(hold: RequestHold): void {
    this.options.journal.holdUsed(hold);
  }

  finished(hold: RequestHold, row?: string): void {
    this.options.journal.holdUsed(hold, row);
  }

  async settle(hold: RequestHold, part: number, credits: number): Promise<void> {
    const { client, journal, pools } = this.options;
    journal.holdPart(hold, credits);
    pools.get(hold.accountId)?.reportBegins(pools.lastCall);
    await this.untilDone(hold.accountId, () =>
      client.settleHold(hold.accountId, hold.id, String(part), credits),
    );
  }

  settled({ accountId }: RequestHold, credits: number): void {
    const { pools } = this.options;
    const pool = pools.get(accountId);
    pool?.acknowledged(credits);
    pool?.reportEnds(pools.lastCall);
  }

  async close(hold: RequestHold): Promise<void> {
    const { client, journal, pools } = this.options;
    const isDone = await this.untilDone(hold.accountId, () =>
      client.closeHold(hold.accountId, hold.id),
    );
    if (!isDone) return;
    this.open.delete(hold);
    const pool = pools.get(hold.accountId);
    pool?.removeHold(hold);
    if (pool) pools.forgetIfIdle(pool);
    journal.holdClosed(hold);
  }

  /** Lists the holds that entitlement may keep open for this gateway. */
  uses(): HoldUse[] {
    return [...this.open].map(({ use }) => use);
  }

  /**
   * Settles and closes the holds that an earlier process left open. Reporting their parts again is safe, because
   * entitlement keeps the first report of each part. Charges after the last part are reported as one more part.
   * @throws if the process stops before that.
   */
  async replay(uses: HoldUse[]): Promise<void> {
    const { client } = this.options;
    for (const { holdId, accountId, charged, parts } of uses) {
      const rest = charged - parts.reduce((sum, credits) => sum + credits, 0);
      const told = rest > 0 ? [...parts, rest] : parts;
      for (const [place, credits] of told.entries()) {
        await this.untilDone(accountId, () =>
          client.settleHold(accountId, holdId, String(place + 1), credits),
        );
      }
      await this.untilDone(accountId, () => client.closeHold(accountId, holdId));
    }
    this.stopping.signal.throwIfAborted();
  }

  /** Waits for at most `timeoutMs` until entitlement has closed all open holds, and then stops the retries. */
  async drain(timeoutMs: number): Promise<void> {
    const until = monotonicMs() + timeoutMs;
    while (this.open.size > 0 && monotonicMs() < until) await sleep(10);
    this.stopping.abort();
  }

  private async inTurn<T>(accountId: string, call: () => Promise<T>): Promise<T> {
    return this.turns.use(accountId, () => this.calls.use(call));
  }

  private opened(hold: RequestHold): LeasePool {
    this.open.add(hold);
    const { journal, pools } = this.options;
    journal.holdOpened(hold, `${hold.row}\n`);
    const pool = pools.of(hold.accountId, monotonicMs());
    pool.addHold(hold);
    return pool;
  }

  private rowOf(held: HeldRequest): string {
    const atMs = this.options.clock.now().getTime();
    return this.lines.of({ ...held, ...BROKEN_OFF, atMs }).trimEnd();
  }

  /**
   * Repeats a call, with longer and longer waits, until it succeeds or the process stops. A part is charged once,
   * however often it is reported.
   * @returns false if the process stopped.
   */
  private async untilDone(accountId: string, call: () => Promise<void>): Promise<boolean> {
    const { signal } = this.stopping;
    for (let waitMs = RETRY_MS; !signal.aborted; waitMs = Math.min(RETRY_MAX_MS, waitMs * 2)) {
      try {
        await this.inTurn(accountId, call);
        return true;
      } catch (error) {
        const message = 'entitlement did not accept the report of a hold';
        this.options.logger.sparsely('warn', message, message, { err: error });
        await sleep(waitMs, undefined, { ref: false, signal }).catch(() => {});
      }
    }
    return false;
  }
}

/** @param answer undefined if entitlement was not called. */
function refusalOf(answer: HoldAnswer | undefined, amount: number): Problem {
  if (answer?.outcome === 'insufficient') return new InsufficientCredits(amount);
  return answer?.outcome === 'elsewhere'
    ? new CreditsBusy()
    : new ServiceUnavailable('entitlement');
}
