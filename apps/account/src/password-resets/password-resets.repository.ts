import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { PasswordReset } from './password-reset.entity.js';

@Injectable()
export class PasswordResetsRepository {
  async insert(transaction: Transaction, reset: PasswordReset): Promise<void> {
    await transaction.manager.insert(PasswordReset, reset);
  }

  /** Every link of the account, used or not, is worth nothing from here on. */
  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.manager.delete(PasswordReset, { accountId });
  }
}
