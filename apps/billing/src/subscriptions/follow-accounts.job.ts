import { Injectable } from '@nestjs/common';
import { type Job, Logger } from '#libs/platform';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { SyncService } from '../sync/sync.service.js';
import {
  type FollowedSubscription,
  SubscriptionsMaintenanceRepository,
} from './subscriptions.repository.js';

const SUBSCRIPTIONS_MAX = 100;

/**
 * Brings to the processors what follows from an account's state: a deletion cancels at the end of the period, a
 * restoration undoes exactly that, an erasure and a second subscription of a line end at once.
 */
@Injectable()
export class FollowAccountsJob implements Job {
  readonly name = 'follow-accounts';

  constructor(
    private readonly subscriptions: SubscriptionsMaintenanceRepository,
    private readonly processors: PaymentProcessors,
    private readonly syncing: SyncService,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    for (const followed of await this.subscriptions.listToFollow(SUBSCRIPTIONS_MAX)) {
      await this.follow(followed);
    }
  }

  private async follow(followed: FollowedSubscription): Promise<void> {
    const { id, processor: name, externalId, wanted, since } = followed;
    const processor = this.processors.get(name);
    // The same wish is the same call, a later deletion another one.
    const key = `${wanted}:${id}:${since.getTime()}`;
    // Noted before the call: a restoration undoes a cancellation of ours even if we never heard the answer.
    if (wanted === 'cancel') await this.subscriptions.markCancelledByDeletion(followed, true);
    const outcome =
      wanted === 'resume'
        ? await processor.resume(externalId, key)
        : await processor.cancel(externalId, wanted === 'end' ? 'now' : 'period_end', key);
    if (outcome.outcome === 'refused') {
      this.logger.warn('a subscription could not follow its account', { id, wanted, ...outcome });
    }
    if (outcome.outcome !== 'unknown' && wanted === 'resume') {
      await this.subscriptions.markCancelledByDeletion(followed, false);
    }
    await this.syncing.sync({ processor: name, kind: 'subscription', id: externalId });
  }
}
