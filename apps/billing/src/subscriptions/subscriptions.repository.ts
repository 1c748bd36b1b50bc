import { Injectable } from '@nestjs/common';
import type { SubscriptionLineName } from '#libs/contracts';
import { MaintenanceDatabase, type Transaction } from '#libs/database';
import type { ProcessorName } from '../processors/payment-processor.js';
import { Subscription } from './subscription.entity.js';

@Injectable()
export class SubscriptionsRepository {
  async insert(transaction: Transaction, subscription: Subscription): Promise<void> {
    await transaction.manager.insert(Subscription, subscription);
  }

  async update(
    transaction: Transaction,
    { accountId, id }: Subscription,
    changes: Partial<Subscription>,
  ): Promise<void> {
    await transaction.manager.update(Subscription, { accountId, id }, changes);
  }

  async findByExternalId(
    transaction: Transaction,
    processor: ProcessorName,
    externalId: string,
  ): Promise<Subscription | null> {
    return transaction.manager.findOneBy(Subscription, { processor, externalId });
  }

  async find(
    transaction: Transaction,
    accountId: string,
    id: string,
  ): Promise<Subscription | null> {
    return transaction.manager.findOneBy(Subscription, { accountId, id });
  }

  async findCurrent(
    transaction: Transaction,
    accountId: string,
    line: SubscriptionLineName,
  ): Promise<Subscription | null> {
    return transaction.manager.findOneBy(Subscription, { accountId, line, isCurrent: true });
  }

  /** Newest first. */
  async list(transaction: Transaction, accountId: string): Promise<Subscription[]> {
    return transaction.manager
      .createQueryBuilder(Subscription, 'subscription')
      .where('subscription.accountId = :accountId', { accountId })
      .orderBy('subscription.id', 'DESC')
      .getMany();
  }
}

/** Subscriptions of every account. */
@Injectable()
export class SubscriptionsMaintenanceRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /** Duplicates that still run at their processor. */
  async listRunningDuplicates(limit: number): Promise<Subscription[]> {
    return this.maintenance.transaction((transaction) =>
      transaction.manager
        .createQueryBuilder(Subscription, 'subscription')
        .where('subscription.isDuplicate')
        .andWhere(`subscription.state not in ('cancelled', 'expired')`)
        .orderBy('subscription.updatedAt')
        .limit(limit)
        .getMany(),
    );
  }
}
