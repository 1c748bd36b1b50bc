import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Subscription } from './subscription.entity.js';

@Injectable()
export class SubscriptionsRepository {
  async list(transaction: Transaction, accountId: string): Promise<Subscription[]> {
    const order = { id: 'ASC' } as const;
    return transaction.manager.find(Subscription, { where: { accountId }, order });
  }

  async put(transaction: Transaction, subscription: Subscription): Promise<void> {
    await transaction.manager.upsert(Subscription, subscription, ['id']);
  }
}
