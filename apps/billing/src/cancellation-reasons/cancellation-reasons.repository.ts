import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase, type Transaction } from '#libs/database';

export interface CancellationReason {
  accountId: string;
  subscriptionId: string;
  /** The year of the key that encrypts `reason`. */
  year: number;
  reason: Buffer;
  saidAt: Date;
}

@Injectable()
export class CancellationReasonsRepository {
  /** Stores a reason, and replaces an earlier reason for the same subscription. */
  async put(
    transaction: Transaction,
    { accountId, subscriptionId, year, reason, saidAt }: CancellationReason,
  ): Promise<void> {
    await transaction.execute(
      `insert into cancellation_reasons (account_id, subscription_id, year, reason, said_at)
       values ($1, $2, $3, $4, $5)
       on conflict (subscription_id) do update set
         year = excluded.year, reason = excluded.reason, said_at = excluded.said_at`,
      [accountId, subscriptionId, year, reason, saidAt],
    );
  }

  async list(
    transaction: Transaction,
    accountId: string,
  ): Promise<Omit<CancellationReason, 'saidAt'>[]> {
    return transaction.query(
      `select account_id as "accountId", subscription_id as "subscriptionId", year, reason
       from cancellation_reasons where account_id = $1`,
      [accountId],
    );
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.execute('delete from cancellation_reasons where account_id = $1', [
      accountId,
    ]);
  }
}

@Injectable()
export class CancellationReasonsMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  async deleteBefore(time: Date): Promise<void> {
    await this.database.query('delete from cancellation_reasons where said_at < $1', [time]);
  }
}
