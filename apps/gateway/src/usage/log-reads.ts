import { performance } from 'node:perf_hooks';
import { Injectable } from '@nestjs/common';
import { Database, StatementTimeout, type Transaction } from '#libs/database';
import {
  FairTurns,
  type FairTurnsLimits,
  MINUTE_MS,
  ServiceUnavailable,
  monotonicMs,
} from '#libs/platform';
import { ReadTooHeavy, TooMuchReading } from './usage.errors.js';

const TURNS: FairTurnsLimits = {
  atOnce: 2,
  ofAccount: 1,
  ofAccountMax: 8,
  waitingMax: 100,
  waitMaxMs: 8_000,
};
/** Once this many accounts are counted, minutes that have ended are removed. */
const MINUTES_MAX = 1_000;

export type LogReader = Pick<Transaction, 'query'>;

/**
 * The total duration of one account's reads in the minute that began with its first read, without the time in which
 * this process did other work.
 */
interface MinuteOfReads {
  endsMs: number;
  tookMs: number;
}

const idleMs = () => performance.eventLoopUtilization().idle;

/**
 * Runs accounts' reads of the log of their own requests. A read that finds few rows among many may scan for a long
 * time. Each read therefore has a time limit, the reads of an account together have a time limit per minute, and only
 * one read of an account runs at a time. Accounts take turns by the duration of their reads, so that accounts with slow
 * reads, however many, hardly delay the others. All reads together leave most connections to the rest of the gateway.
 */
@Injectable()
export class LogReads {
  /** The limits, which a spec lowers. */
  readonly limits = {
    statementMs: 2_000,
    /**
     * Maximum total duration of an account's reads per minute. Quick reads stay below it even at the highest rate of
     * requests.
     */
    minuteMs: 10_000,
    turns: { ...TURNS },
  };
  private readonly turns = new FairTurns(this.limits.turns);
  private readonly minutes = new Map<string, MinuteOfReads>();

  constructor(private readonly database: Database) {}

  /**
   * Runs a read when the account's turn comes.
   * @throws ReadTooHeavy after the time limit; TooMuchReading after the account's time limit;
   *   ServiceUnavailable if too many reads wait, or one waits too long; DatabaseUnavailable.
   */
  async query<T>(accountId: string, sql: string, parameters: unknown[]): Promise<T[]> {
    return this.read(accountId, (transaction) => transaction.query<T>(sql, parameters));
  }

  /** Runs several statements in one turn. @throws the errors of `query`. */
  async read<T>(accountId: string, work: (reader: LogReader) => Promise<T>): Promise<T> {
    this.checkMinute(accountId);
    const endTurn = await this.turns.begin(accountId);
    if (!endTurn) throw new ServiceUnavailable('request log');
    let tookMs: number | undefined;
    try {
      const minute = this.checkMinute(accountId);
      const [startedMs, idleBeforeMs] = [monotonicMs(), idleMs()];
      try {
        return await this.limited(work);
      } finally {
        tookMs = monotonicMs() - startedMs;
        minute.tookMs += idleMs() - idleBeforeMs;
      }
    } finally {
      // A rejected read has no duration, so that it does not count as a quick one.
      endTurn(tookMs);
    }
  }

  /** @throws TooMuchReading. */
  private checkMinute(accountId: string): MinuteOfReads {
    const minute = this.minuteOf(accountId);
    if (minute.tookMs < this.limits.minuteMs) return minute;
    throw new TooMuchReading(minute.endsMs - monotonicMs());
  }

  private minuteOf(accountId: string): MinuteOfReads {
    const nowMs = monotonicMs();
    const known = this.minutes.get(accountId);
    if (known && nowMs < known.endsMs) return known;
    if (this.minutes.size >= MINUTES_MAX) {
      for (const [id, { endsMs }] of this.minutes) if (endsMs <= nowMs) this.minutes.delete(id);
    }
    const minute = { endsMs: nowMs + MINUTE_MS, tookMs: 0 };
    this.minutes.set(accountId, minute);
    return minute;
  }

  private async limited<T>(work: (reader: LogReader) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(async (transaction) => {
        const limited = transaction.limitStatements(this.limits.statementMs);
        const [answer] = await Promise.all([work(transaction), limited]);
        return answer;
      });
    } catch (error) {
      throw error instanceof StatementTimeout ? new ReadTooHeavy(error) : error;
    }
  }
}
