import { Injectable } from '@nestjs/common';
import type { SubscriptionChanged } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { AnnouncedOtherwise } from '../payments/payments.errors.js';
import { PaymentsService } from '../payments/payments.service.js';
import type { Subscription } from './subscription.entity.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';

/** Stores the latest snapshot of each subscription. The inbox drops older snapshots. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly repository: SubscriptionsRepository,
    private readonly payments: PaymentsService,
  ) {}

  /** @throws AnnouncedOtherwise if the subscription belongs to another account. */
  async record(
    transaction: Transaction,
    accountId: string,
    { snapshot, allowanceVersion }: { snapshot: SubscriptionChanged; allowanceVersion: number },
  ): Promise<void> {
    const { subscriptionId } = snapshot;
    const foreign = await this.payments.findForeignSubscription(
      transaction,
      accountId,
      subscriptionId,
    );
    if (foreign !== undefined) throw new AnnouncedOtherwise('subscription', foreign);
    const subscription = toSubscription(accountId, snapshot, allowanceVersion);
    await this.repository.put(transaction, subscription);
  }

  async list(transaction: Transaction, accountIds: string[]): Promise<Subscription[]> {
    return this.repository.list(transaction, accountIds);
  }
}

function toSubscription(
  accountId: string,
  snapshot: SubscriptionChanged,
  allowanceVersion: number,
): Subscription {
  const { subscriptionId, paidThrough, cancelAt, limits, monitors, ...rest } = snapshot;
  return {
    ...rest,
    id: subscriptionId,
    accountId,
    limits: { ...limits },
    monitors: { ...monitors },
    periodStart: new Date(snapshot.periodStart),
    periodEnd: new Date(snapshot.periodEnd),
    paidThrough: paidThrough === undefined ? null : new Date(paidThrough),
    cancelAt: cancelAt === undefined ? null : new Date(cancelAt),
    allowanceVersion: String(allowanceVersion),
  };
}
