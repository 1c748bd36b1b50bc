import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { PasswordReset } from './password-reset.entity.js';

/** Holds the links, which are found by their tokens, because nothing else identifies the user. */
@Injectable()
export class PasswordResetsMaintenanceRepository {
  async insert(transaction: Transaction, reset: PasswordReset): Promise<void> {
    await transaction.manager.insert(PasswordReset, reset);
  }

  async accountOf(
    transaction: Transaction,
    tokenHash: Buffer,
    now: Date,
  ): Promise<string | undefined> {
    const [row] = await transaction.query<{ accountId: string }>(
      `select account_id as "accountId" from password_resets
       where token_hash = $1 and expires_at > $2`,
      [tokenHash, now],
    );
    return row?.accountId;
  }

  /**
   * Removes and returns a valid link; null if there is none. Only one of several parallel callers
   * gets it.
   */
  async take(
    transaction: Transaction,
    tokenHash: Buffer,
    now: Date,
  ): Promise<{ accountId: string; personId: string } | null> {
    const [row] = await transaction.query<{ accountId: string; personId: string }>(
      `delete from password_resets where token_hash = $1 and expires_at > $2
       returning account_id as "accountId", person_id as "personId"`,
      [tokenHash, now],
    );
    return row ?? null;
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.manager.delete(PasswordReset, { accountId });
  }
}
