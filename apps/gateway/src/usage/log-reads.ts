import { Injectable } from '@nestjs/common';
import { Database, StatementTimeout } from '#libs/database';
import { Semaphore, ServiceUnavailable } from '#libs/platform';
import { AccountTurns } from '../holds/account-turns.js';
import { ReadTooHeavy } from './usage.errors.js';

/** Longest that one read may take. */
const STATEMENT_MAX_MS = 2_000;
/** Connections of the gateway that reads may have at a time. */
const AT_ONCE = 2;
/** Accounts whose reads run or wait; the last one waits for 8 s at most. */
const ACCOUNTS_MAX = 10;
/** Reads of one account that run or wait. */
const OF_ACCOUNT_MAX = 8;

/**
 * Reads of accounts' own requests. One that finds few rows among many scans for long, so each has a time limit, each
 * account has one at a time, and all together leave most connections to the rest of the gateway.
 */
@Injectable()
export class LogReads {
  private readonly turns = new AccountTurns({ atOnce: 1, max: OF_ACCOUNT_MAX });
  private readonly reads = new Semaphore(AT_ONCE);
  private accounts = 0;

  constructor(private readonly database: Database) {}

  /**
   * @throws ReadTooHeavy when the time limit is over; ServiceUnavailable when too many wait; DatabaseUnavailable as
   *   the database.
   */
  async query<T>(accountId: string, sql: string, parameters: unknown[]): Promise<T[]> {
    return this.turns.use(accountId, async () => {
      if (this.accounts === ACCOUNTS_MAX) throw new ServiceUnavailable('request log');
      this.accounts++;
      try {
        return await this.reads.use(async () => this.limited<T>(sql, parameters));
      } finally {
        this.accounts--;
      }
    });
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
