import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase, type Transaction } from '#libs/database';
import { LogInStep } from './log-in-step.entity.js';

const COLUMNS = `token_hash as "tokenHash", kind, account_id as "accountId", content, tries,
                 expires_at as "expiresAt"`;

/** Holds the steps, which are found by the token in the browser, because some do not belong to an account yet. */
@Injectable()
export class LogInStepsMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  /** Inserts a step, and deletes expired ones. */
  async insert(transaction: Transaction, step: LogInStep, now: Date): Promise<void> {
    await transaction.query('delete from log_in_steps where expires_at <= $1', [now]);
    await transaction.manager.insert(LogInStep, step);
  }

  async find(
    transaction: Transaction,
    { tokenHash, kind }: Pick<LogInStep, 'tokenHash' | 'kind'>,
    now: Date,
  ): Promise<LogInStep | null> {
    const [row] = await transaction.query<LogInStep>(
      `select ${COLUMNS} from log_in_steps where token_hash = $1 and kind = $2 and expires_at > $3`,
      [tokenHash, kind, now],
    );
    return row ?? null;
  }

  /**
   * Removes and returns a step that has not expired; null if there is none. Only one of several
   * parallel callers gets it.
   */
  async take(
    transaction: Transaction,
    { tokenHash, kind }: Pick<LogInStep, 'tokenHash' | 'kind'>,
    now: Date,
  ): Promise<LogInStep | null> {
    const [row] = await transaction.query<LogInStep>(
      `delete from log_in_steps where token_hash = $1 and kind = $2 and expires_at > $3
       returning ${COLUMNS}`,
      [tokenHash, kind, now],
    );
    return row ?? null;
  }

  /**
   * Counts an attempt; the count remains after a rejected request. @returns the number of attempts so far, including
   * this one; 0 if there is no such step.
   */
  async countTry(tokenHash: Buffer): Promise<number> {
    const [row] = await this.database.query<{ tries: number }>(
      'update log_in_steps set tries = tries + 1 where token_hash = $1 returning tries',
      [tokenHash],
    );
    return row?.tries ?? 0;
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from log_in_steps where account_id = $1', [accountId]);
  }
}
