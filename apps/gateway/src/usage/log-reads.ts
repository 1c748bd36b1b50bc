import { Injectable } from '@nestjs/common';
import { Database, StatementTimeout } from '#libs/database';
import {
  AccountTurns,
  MINUTE_MS,
  RecentUse,
  ServiceUnavailable,
  monotonicMs,
} from '#libs/platform';
import { ReadTooHeavy, TooMuchReading } from './usage.errors.js';

const STATEMENT_MAX_MS = 2_000;
const AT_ONCE = 2;
const WAITING_MAX = 100;
const WAIT_MAX_MS = 8_000;
const OF_ACCOUNT_MAX = 8;
/** Quick reads of an account stay below this time even at the highest rate of requests. */
const A_MINUTE_MAX_MS = 10_000;
/** Once this many accounts are counted, minutes that have ended are removed. */
const MINUTES_MAX = 1_000;

/** The total duration of one account's reads in the minute that began with its first read. */
interface MinuteOfReads {
  endsMs: number;
  tookMs: number;
  lately: RecentUse;
}

interface WaitingRead {
  minute: MinuteOfReads;
  begin: () => void;
  refuse: (reason: Error) => void;
}

/**
 * Runs accounts' reads of the log of their own requests. A read that finds few rows among many may scan for a long
 * time. Each read therefore has a time limit, the reads of an account together have a time limit per minute, and only
 * one read of an account runs at a time. Of the waiting reads, that of the account whose latest reads took the least
 * time comes first, so that accounts with slow reads, however many, do not delay the others. All reads together leave
 * most connections to the rest of the gateway.
 */
@Injectable()
export class LogReads {
  private readonly turns = new AccountTurns({ atOnce: 1, max: OF_ACCOUNT_MAX });
  private readonly minutes = new Map<string, MinuteOfReads>();
  private running = 0;
  /** The earliest is first. */
  private readonly waiting: WaitingRead[] = [];

  constructor(private readonly database: Database) {}

  /**
   * @throws ReadTooHeavy after the time limit; TooMuchReading after the account's time limit; ServiceUnavailable if too
   * many reads wait, or one waits too long; DatabaseUnavailable.
   */
  async query<T>(accountId: string, sql: string, parameters: unknown[]): Promise<T[]> {
    return this.turns.use(accountId, async () => {
      const minute = this.minuteOf(accountId);
      if (minute.tookMs >= A_MINUTE_MAX_MS) {
        throw new TooMuchReading(minute.endsMs - monotonicMs());
      }
      if (this.running < AT_ONCE) this.running += 1;
      else await this.turnOf(minute);
      try {
        return await this.timed<T>(minute, sql, parameters);
      } finally {
        this.beginNext();
      }
    });
  }

  /**
   * Waits for a connection. If too many reads wait, that of the account whose reads took the longest is refused, as is
   * a read that waits too long.
   */
  private async turnOf(minute: MinuteOfReads): Promise<void> {
    const { promise, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
    const read = { minute, begin, refuse };
    this.waiting.push(read);
    if (this.waiting.length > WAITING_MAX)
      this.refuse(this.waiting.reduce(slowerAt(monotonicMs())));
    const timer = setTimeout(() => this.refuse(read), WAIT_MAX_MS);
    await promise.finally(() => clearTimeout(timer));
  }

  private refuse(read: WaitingRead): void {
    this.waiting.splice(this.waiting.indexOf(read), 1);
    read.refuse(new ServiceUnavailable('request log'));
  }

  private beginNext(): void {
    if (this.waiting.length === 0) {
      this.running -= 1;
      return;
    }
    const next = this.waiting.reduce(quickerAt(monotonicMs()));
    this.waiting.splice(this.waiting.indexOf(next), 1);
    next.begin();
  }

  private minuteOf(accountId: string): MinuteOfReads {
    const nowMs = monotonicMs();
    const known = this.minutes.get(accountId);
    if (known && nowMs < known.endsMs) return known;
    if (this.minutes.size >= MINUTES_MAX) {
      for (const [id, { endsMs }] of this.minutes) if (endsMs <= nowMs) this.minutes.delete(id);
    }
    const lately = known?.lately ?? new RecentUse();
    const minute = { endsMs: nowMs + MINUTE_MS, tookMs: 0, lately };
    this.minutes.set(accountId, minute);
    return minute;
  }

  private async timed<T>(minute: MinuteOfReads, sql: string, parameters: unknown[]): Promise<T[]> {
    const startedMs = monotonicMs();
    try {
      return await this.limited<T>(sql, parameters);
    } finally {
      const nowMs = monotonicMs();
      minute.tookMs += nowMs - startedMs;
      minute.lately.add(nowMs - startedMs, nowMs);
    }
  }

  private async limited<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    try {
      return await this.database.transaction(async (transaction) => {
        await transaction.limitStatements(STATEMENT_MAX_MS);
        return transaction.query<T>(sql, parameters);
      });
    } catch (error) {
      throw error instanceof StatementTimeout ? new ReadTooHeavy(error) : error;
    }
  }
}

const quickerAt = (nowMs: number) => (one: WaitingRead, other: WaitingRead) =>
  other.minute.lately.at(nowMs) < one.minute.lately.at(nowMs) ? other : one;

const slowerAt = (nowMs: number) => (one: WaitingRead, other: WaitingRead) =>
  other.minute.lately.at(nowMs) >= one.minute.lately.at(nowMs) ? other : one;
