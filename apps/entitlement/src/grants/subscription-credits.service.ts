import { Injectable } from '@nestjs/common';
import type { SubscriptionChanged } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { LedgerService } from '../ledger/ledger.service.js';
import { advance, followSubscription } from './account-credits.js';
import { GrantsService } from './grants.service.js';
import type { Subscription } from '../subscriptions/subscription.js';
import { SubscriptionsRepository } from '../subscriptions/subscriptions.repository.js';

/** Keeps each subscription as its last snapshot says, and issues what it pays for. */
@Injectable()
export class SubscriptionCreditsService {
  constructor(
    private readonly ledger: LedgerService,
    private readonly grants: GrantsService,
    private readonly repository: SubscriptionsRepository,
  ) {}

  /** Slices of the period before are issued first: the snapshot may be late. */
  async apply(
    transaction: Transaction,
    accountId: string,
    snapshot: SubscriptionChanged,
  ): Promise<void> {
    const subscription = toSubscription(accountId, snapshot);
    const [account] = await this.ledger.lock(transaction, [accountId]);
    const { book } = await this.grants.openWhole(transaction, account);
    await this.repository.putSubscription(transaction, subscription, book.changeAllowance());
    followSubscription(book, subscription);
    advance(book, await this.grants.sourcesOf(transaction, accountId));
    await this.ledger.save(transaction, [book]);
  }
}

function toSubscription(accountId: string, snapshot: SubscriptionChanged): Subscription {
  const { subscriptionId, paidThrough, cancelAt, limits, monitors, ...rest } = snapshot;
  return {
    ...rest,
    id: subscriptionId,
    accountId,
    limits: { ...limits },
    monitors: { ...monitors },
    periodStart: new Date(snapshot.periodStart),
    periodEnd: new Date(snapshot.periodEnd),
    paidThrough: paidThrough === undefined ? undefined : new Date(paidThrough),
    cancelAt: cancelAt === undefined ? undefined : new Date(cancelAt),
  };
}
