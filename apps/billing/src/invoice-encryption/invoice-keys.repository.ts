import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase, type Transaction } from '#libs/database';

/** An account and a year (UTC). Each such pair has its own key for its invoices. */
export interface InvoiceYear {
  accountId: string;
  year: number;
}

@Injectable()
export class InvoiceKeysRepository {
  async findKey(
    transaction: Transaction,
    { accountId, year }: InvoiceYear,
  ): Promise<Buffer | undefined> {
    const [row] = await transaction.query<{ key: Buffer }>(
      `select wrapped_key as key from invoice_data_keys where account_id = $1 and year = $2`,
      [accountId, year],
    );
    return row?.key;
  }

  /** @returns the stored key: of two simultaneous calls, the first wins. */
  async put(
    transaction: Transaction,
    { accountId, year }: InvoiceYear,
    wrappedKey: Buffer,
    at: Date,
  ): Promise<Buffer> {
    await transaction.query(
      `insert into invoice_data_keys (account_id, year, wrapped_key, created_at)
       values ($1, $2, $3, $4) on conflict (account_id, year) do nothing`,
      [accountId, year, wrappedKey, at],
    );
    return (await this.findKey(transaction, { accountId, year })) as Buffer;
  }
}

@Injectable()
export class InvoiceKeysMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  async deleteBefore(year: number): Promise<number> {
    const rows = await this.database.query(
      'delete from invoice_data_keys where year < $1 returning year',
      [year],
    );
    return rows.length;
  }
}
