import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { BillingDetails } from './billing-details.entity.js';

@Injectable()
export class BillingDetailsRepository {
  async find(transaction: Transaction, accountId: string): Promise<BillingDetails | null> {
    return transaction.manager.findOneBy(BillingDetails, { accountId });
  }

  async put(
    transaction: Transaction,
    accountId: string,
    row: Omit<BillingDetails, 'accountId'>,
  ): Promise<void> {
    await transaction.query(
      `insert into billing_details (account_id, details, updated_at) values ($1, $2, $3)
       on conflict (account_id) do update set details = $2, updated_at = $3`,
      [accountId, row.details, row.updatedAt],
    );
  }

  async delete(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.manager.delete(BillingDetails, { accountId });
  }
}
