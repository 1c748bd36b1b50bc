import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';

@Injectable()
export class DataKeysRepository {
  async find(transaction: Transaction, accountId: string): Promise<Buffer | null> {
    const [row] = await transaction.query<{ wrapped_key: Buffer }>(
      'select wrapped_key from data_keys where account_id = $1',
      [accountId],
    );
    return row?.wrapped_key ?? null;
  }

  async insert(
    transaction: Transaction,
    accountId: string,
    row: { wrappedKey: Buffer; createdAt: Date },
  ): Promise<void> {
    await transaction.query(
      'insert into data_keys (account_id, wrapped_key, created_at) values ($1, $2, $3)',
      [accountId, row.wrappedKey, row.createdAt],
    );
  }

  async delete(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from data_keys where account_id = $1', [accountId]);
  }
}
