import { Injectable } from '@nestjs/common';
import { Database, StatementTimeout } from '#libs/database';
import { MINUTE_MS, Semaphore, ServiceUnavailable, monotonicMs } from '#libs/platform';
import { AccountTurns } from '../holds/account-turns.js';
import { ReadTooHeavy, TooMuchReading } from './usage.errors.js';

/** Time limit for one read. */
const STATEMENT_MAX_MS = 2_000;
/** Maximum number of the gateway's database connections that reads use. */
const AT_ONCE = 2;
/** Maximum number of accounts with running or waiting reads. Even the last one waits at most 8 s. */
const ACCOUNTS_MAX = 10;
/** The same limit for accounts with slow reads, so that other accounts always find room. */
const SLOW_ACCOUNTS_MAX = 5;
/** Maximum number of running or waiting reads of one account. */
const OF_ACCOUNT_MAX = 8;
/**
 * The time that the reads of one account may take in a minute. Quick reads stay below it even at the highest rate of
 * requests.
 */
const A_MINUTE_MAX_MS = 10_000;
/**
 * An account whose reads take at least this long in a minute counts as an account with slow reads. A single read may be
 * slow only because the database is busy.
 */
const SLOW_FROM_MS = 2_000;
/** Once this many accounts are counted, minutes that have ended are removed. */
const MINUTES_MAX = 1_000;

/** The total duration of one account's reads in the minute that began with its first read. */
interface MinuteOfReads {
  endsMs: number;
  tookMs: number;
}

/**
 * Runs accounts' reads of their own requests. A read that finds few rows among many may scan for a long time. Each read
 * therefore has a time limit, the reads of each account have a time limit for a minute, and each account has one read
 * at a time. All reads together leave most connections to the rest of the gateway.
 */
@Injectable()
export class LogReads {
  private readonly turns = new AccountTurns({ atOnce: 1, max: OF_ACCOUNT_MAX });
  private readonly reads = new Semaphore(AT_ONCE);
  private readonly minutes = new Map<string, MinuteOfReads>();
  private accounts = 0;

  constructor(private readonly database: Database) {}

  /**
   * @throws ReadTooHeavy after the time limit; TooMuchReading after the account's time limit; ServiceUnavailable if too
   *   many reads wait; DatabaseUnavailable.
   */
  async query<T>(accountId: string, sql: string, parameters: unknown[]): Promise<T[]> {
    return this.turns.use(accountId, async () => {
      const minute = this.minuteOf(accountId);
      if (minute.tookMs >= A_MINUTE_MAX_MS) {
        throw new TooMuchReading(minute.endsMs - monotonicMs());
      }
      const isSlow = minute.tookMs >= SLOW_FROM_MS;
      if (this.accounts >= (isSlow ? SLOW_ACCOUNTS_MAX : ACCOUNTS_MAX)) {
        throw new ServiceUnavailable('request log');
      }
      this.accounts++;
      try {
        return await this.reads.use(async () => this.timed(minute, sql, parameters));
      } finally {
        this.accounts--;
      }
    });
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

  private async timed<T>(minute: MinuteOfReads, sql: string, parameters: unknown[]): Promise<T[]> {
    const startedMs = monotonicMs();
    try {
      return await this.limited<T>(sql, parameters);
    } finally {
      minute.tookMs += monotonicMs() - startedMs;
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
