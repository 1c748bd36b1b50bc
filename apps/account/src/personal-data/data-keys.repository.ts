import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { DataKey } from './data-key.entity.js';

@Injectable()
export class DataKeysRepository {
  async find(transaction: Transaction, accountId: string): Promise<Buffer | null> {
    const row = await transaction.manager.findOneBy(DataKey, { accountId });
    return row?.wrappedKey ?? null;
  }

  async insert(
    transaction: Transaction,
    accountId: string,
    row: Omit<DataKey, 'accountId'>,
  ): Promise<void> {
    await transaction.manager.insert(DataKey, { accountId, ...row });
  }

  async delete(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.manager.delete(DataKey, { accountId });
  }
}
