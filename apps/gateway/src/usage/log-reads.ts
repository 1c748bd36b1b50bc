import { Injectable } from '@nestjs/common';
import { Database, StatementTimeout } from '#libs/database';
import { Semaphore, ServiceUnavailable } from '#libs/platform';
import { AccountTurns } from '../holds/account-turns.js';
import { ReadTooHeavy } from './usage.errors.js';

/** Time limit for one read. */
const STATEMENT_MAX_MS = 2_000;
/** Maximum number of the gateway's database connections that reads use. */
const AT_ONCE = 2;
/** Maximum number of accounts with running or waiting reads. Even the last one waits at most 8 s. */
const ACCOUNTS_MAX = 10;
/** Maximum number of running or waiting reads of one account. */
const OF_ACCOUNT_MAX = 8;

/**
 * Runs accounts' reads of their own requests. A read that finds few rows among many may scan for a long time. Each read
 * therefore has a time limit, and each account has one read at a time. All reads together leave most connections to the
 * rest of the gateway.
 */
@Injectable()
export class LogReads {
  private readonly turns = new AccountTurns({ atOnce: 1, max: OF_ACCOUNT_MAX });
  private readonly reads = new Semaphore(AT_ONCE);
  private accounts = 0;

  constructor(private readonly database: Database) {}

  /** @throws ReadTooHeavy after the time limit; ServiceUnavailable if too many reads wait; DatabaseUnavailable. */
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
