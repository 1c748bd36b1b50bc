import { Injectable } from '@nestjs/common';
import { planOfSku } from '#libs/contracts';
import { Clock, type Job, Logger, crashPoint, newId, FIRST_ID } from '#libs/platform';
import type { CallResult, SubscriptionSnapshot } from '../processors/payment-processor.js';
import { planRefOf } from '../plan-changes/plan-change.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { SyncService } from '../processor-sync/sync.service.js';
import {
  type FollowedSubscription,
  FollowedSubscriptionsMaintenanceRepository,
} from './followed-subscriptions.repository.js';

const SUBSCRIPTIONS_MAX = 100;

/**
 * Brings to the processors what follows from an account's state and its money: a deletion cancels at the end of
 * the period, a restoration undoes exactly that; an erasure, a second subscription of a line and a period
 * whose payment was taken back end at once; an upgrade that was taken back sets the plan back. One whose last period is
 * over is looked at: not every processor ends it by itself.
 */
@Injectable()
export class FollowAccountsJob implements Job {
  readonly name = 'follow-accounts';
  /** The position of the next run, so that refused ones never delay those behind them. */
  private after = FIRST_ID;

  constructor(
    private readonly subscriptions: FollowedSubscriptionsMaintenanceRepository,
    private readonly processors: PaymentProcessors,
    private readonly syncing: SyncService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    const wishing = await this.subscriptions.listToFollow(this.after, SUBSCRIPTIONS_MAX);
    this.after = wishing.length < SUBSCRIPTIONS_MAX ? FIRST_ID : wishing[wishing.length - 1].id;
    for (const followed of wishing) await this.follow(followed);
    await this.subscriptions.settleErased();
    const now = this.clock.now();
    for (const { processor, id } of await this.subscriptions.listOverdue(now, SUBSCRIPTIONS_MAX)) {
      await this.syncing.sync({ processor, kind: 'subscription', id });
    }
  }

  private async follow(followed: FollowedSubscription): Promise<void> {
    const { id, processor: name, externalId, wanted } = followed;
    // Noted before the call: a restoration undoes our cancellation even if its answer was lost.
    if (wanted === 'cancel') await this.subscriptions.markCancelledByDeletion(followed, true);
    crashPoint('follow.after-mark');
    const outcome = await this.ask(followed);
    crashPoint('follow.after-call');
    if (outcome.outcome === 'refused') {
      this.logger.warn('a subscription could not follow its account', { id, wanted, ...outcome });
    }
    if (outcome.outcome !== 'unknown' && wanted === 'resume') {
      await this.subscriptions.markCancelledByDeletion(followed, false);
    }
    if (outcome.outcome === 'refused' && wanted === 'plan') {
      await this.subscriptions.dropWantedPlan(followed);
    }
    await this.syncing.sync({ processor: name, kind: 'subscription', id: externalId });
  }

  /**
   * Each attempt is a new call: it moves no money, and a repeat sets the same state. With the key of an earlier call
   * Stripe would answer from memory and do nothing, even if its customer undid that one meanwhile.
   */
  private ask(followed: FollowedSubscription): Promise<CallResult<SubscriptionSnapshot>> {
    const key = newId();
    const { processor: name, externalId, wanted, sku, quantity, currency, taxPpm } = followed;
    const processor = this.processors.get(name);
    const plan = wanted === 'plan' && sku !== null ? planOfSku(sku) : undefined;
    if (plan) {
      const change = { plan: planRefOf(plan, taxPpm), quantity: quantity ?? 1, currency };
      return processor.setPlan({ subscriptionId: externalId, ...change }, key);
    }
    if (wanted === 'resume') return processor.resume(externalId, key);
    return processor.cancel(externalId, wanted === 'end' ? 'now' : 'period_end', key);
  }
}
