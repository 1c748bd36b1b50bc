import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Transaction } from '#libs/database';
import { Subscription } from './subscription.entity.js';

@Injectable()
export class SubscriptionsRepository {
  async list(transaction: Transaction, accountIds: string[]): Promise<Subscription[]> {
    const where = { accountId: In(accountIds) };
    return transaction.manager.find(Subscription, { where, order: { id: 'ASC' } });
  }

  async put(transaction: Transaction, subscription: Subscription): Promise<void> {
    await transaction.manager.upsert(Subscription, subscription, ['id']);
  }
}
