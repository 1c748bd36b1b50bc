import { Injectable } from '@nestjs/common';
import { planOfSku } from '#libs/contracts';
import { Clock, type Job, Logger, crashPoint, newId, FIRST_ID } from '#libs/platform';
import type { CallResult, ChangeRequest } from '../processors/payment-processor.js';
import { planRefOf } from '../plan-changes/plan-change.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { SyncService } from '../processor-sync/sync.service.js';
import {
  type FollowedSubscription,
  FollowedSubscriptionsMaintenanceRepository,
} from './followed-subscriptions.repository.js';
import { Rests } from './rests.js';

const SUBSCRIPTIONS_MAX = 100;

/**
 * Brings subscriptions at the processors in line with the state and the payments of their account. A deletion drops an
 * unpaid change and cancels the subscription at the end of its period, and a restoration undoes exactly that
 * cancellation. An erasure, a second subscription of the same line or a reversed payment for the period ends the
 * subscription at once. A reversed upgrade restores the earlier plan. A subscription whose last period is over is
 * fetched, because not every processor ends subscriptions by itself.
 */
@Injectable()
export class FollowAccountsJob implements Job {
  readonly name = 'follow-accounts';
  /** The position at which the next run continues, so that rejected subscriptions never delay later ones. */
  private after = FIRST_ID;
  private readonly refused = new Rests();
  /** The overdue subscriptions whose processor has answered, even if they have not ended there yet. */
  private readonly fetched = new Rests();

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
    const now = this.clock.now();
    const resting = new Set(this.refused.at(now));
    for (const followed of wishing.filter((one) => !resting.has(nameOf(one)))) {
      await this.follow(followed).catch((err: unknown) => this.postpone(followed.id, err));
    }
    await this.subscriptions.settleErased();
    await this.endOverdue(now);
  }

  private async endOverdue(now: Date): Promise<void> {
    const fetched = this.fetched.at(now);
    const overdue = await this.subscriptions.listOverdue(now, SUBSCRIPTIONS_MAX, fetched);
    for (const { processor, id } of overdue) {
      const result = await this.syncing
        .sync({ processor, kind: 'subscription', id })
        .catch((err: unknown) => this.postpone(id, err));
      if (result === 'synced' || result === 'refused') this.fetched.begin(id, now);
    }
  }

  /** Leaves a subscription to the next run, so that this run continues with the other subscriptions. */
  private postpone(id: string, err: unknown): void {
    const message = 'a subscription could not be brought in line with its account yet';
    this.logger.sparsely('error', `${message}: ${id}`, message, { id, err });
  }

  private async follow(followed: FollowedSubscription): Promise<void> {
    const { id, processor: name, externalId, wanted } = followed;
    // The cancellation is stored before the call, so that a restoration undoes it even if the processor's answer was
    // lost.
    if (wanted === 'cancel') await this.subscriptions.markCancelledByDeletion(followed);
    crashPoint('follow.after-mark');
    const outcome = await this.ask(followed);
    crashPoint('follow.after-call');
    if (outcome.outcome === 'refused') {
      this.refused.begin(nameOf(followed), this.clock.now());
      this.logger.warn('a subscription could not be brought in line with its account', {
        id,
        wanted,
        ...outcome,
      });
    }
    if (outcome.outcome === 'refused' && wanted === 'plan') {
      await this.subscriptions.dropWantedPlan(followed);
    }
    const ref = { processor: name, kind: 'subscription', id: externalId } as const;
    const fetched = await this.syncing.sync(ref);
    // If the mark were removed while our row still shows the cancellation, the owner would be told that the plan ends.
    const isOver = outcome.outcome !== 'unknown' && fetched !== 'unknown';
    if (wanted === 'resume' && isOver) await this.subscriptions.markResumed(followed);
  }

  /**
   * Calls the processor with a new idempotency key for each attempt: the call moves no money, and a repeat sets the
   * same state. With the key of an earlier call, Stripe would return the stored answer and do nothing, even if the
   * customer had undone that call in the meantime.
   */
  private async ask(followed: FollowedSubscription): Promise<CallResult<unknown>> {
    const key = newId();
    const { processor: name, externalId, wanted, isChangeUnpaid } = followed;
    const processor = this.processors.get(name);
    const change = changeOf(followed);
    if (wanted === 'plan' && change) return processor.setPlan(change, key);
    if (wanted !== 'resume') {
      // Without this, the change's payment page would still take money. A change that is being paid cannot be dropped,
      // but is refunded once it is paid.
      const dropped = isChangeUnpaid ? await processor.dropChange(externalId, key) : undefined;
      if (dropped && (wanted === 'drop' || dropped.outcome === 'unknown')) return dropped;
      return processor.cancel(externalId, wanted === 'end' ? 'now' : 'period_end', key);
    }
    const resumed = await processor.resume(externalId, key);
    // A processor where customers approve changes keeps an approved change even when the subscription is cancelled.
    const isChangeDropped = !processor.capabilities.changesNeedApproval;
    if (resumed.outcome !== 'done' || !change || !isChangeDropped) return resumed;
    return processor.changeAtPeriodEnd(change, key);
  }
}

/** Returns the name under which a refusal rests. It contains the wish, because another wish may be accepted. */
const nameOf = ({ wanted, externalId }: FollowedSubscription) => `${wanted} ${externalId}`;

function changeOf(followed: FollowedSubscription): ChangeRequest | undefined {
  const { externalId: subscriptionId, sku, quantity, currency, taxPpm } = followed;
  const plan = sku === null ? undefined : planOfSku(sku);
  if (!plan) return undefined;
  const ref = planRefOf(plan, taxPpm, followed.catalogueVersion ?? undefined);
  return { subscriptionId, plan: ref, quantity: quantity ?? 1, currency };
}
