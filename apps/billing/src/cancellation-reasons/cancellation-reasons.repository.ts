import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';

/** Why a customer cancelled, in the customer's words. */
export interface CancellationReason {
  id: string;
  accountId: string;
  subscriptionId: string;
  reason: string;
  saidAt: Date;
}

@Injectable()
export class CancellationReasonsRepository {
  async insert(
    transaction: Transaction,
    { id, accountId, subscriptionId, reason, saidAt }: CancellationReason,
  ): Promise<void> {
    await transaction.execute(
      `insert into cancellation_reasons (id, account_id, subscription_id, reason, said_at)
       values ($1, $2, $3, $4, $5)`,
      [id, accountId, subscriptionId, reason, saidAt],
    );
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.execute('delete from cancellation_reasons where account_id = $1', [
      accountId,
    ]);
  }
}
