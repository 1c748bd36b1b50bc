import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';

@Injectable()
export class InvoiceKeysRepository {
  async findKey(transaction: Transaction, accountId: string): Promise<Buffer | undefined> {
    const [row] = await transaction.query<{ key: Buffer }>(
      `select wrapped_key as key from invoice_data_keys where account_id = $1`,
      [accountId],
    );
    return row?.key;
  }

  /** @returns the key that is there afterwards: of two that are put at once, the first. */
  async put(
    transaction: Transaction,
    accountId: string,
    wrappedKey: Buffer,
    at: Date,
  ): Promise<Buffer> {
    await transaction.query(
      `insert into invoice_data_keys (account_id, wrapped_key, created_at) values ($1, $2, $3)
       on conflict (account_id) do nothing`,
      [accountId, wrappedKey, at],
    );
    return (await this.findKey(transaction, accountId)) as Buffer;
  }
}
