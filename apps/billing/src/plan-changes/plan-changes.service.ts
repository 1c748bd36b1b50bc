import { Injectable } from '@nestjs/common';
import {
  type CancelRequest,
  type ChangePlanRequest,
  type PlanChangeAnswer,
  type PlanPreviewAnswer,
  type PlanRequest,
  planOfSku,
} from '#libs/contracts';
import {
  Clock,
  InvalidRequest,
  MINUTE_MS,
  type Micros,
  Semaphore,
  crashPoint,
  newId,
} from '#libs/platform';
import { BillingConfig } from '../billing.config.js';
import { CancellationReasonsService } from '../cancellation-reasons/cancellation-reasons.service.js';
import { taxWithin } from '../tax/tax-rates.js';
import { ProcessorUnavailable } from '../processors/processors.errors.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { OwnSubscriptionsService } from '../subscriptions/own-subscriptions.service.js';
import { MAY_BE_MADE, madeBy, refusalOf, valueOf } from './call-outcome.js';
import {
  type PlannedUnits,
  changeIdOf,
  changeOf,
  creditsAtOnce,
  effectOfChange,
} from './plan-change.js';
import { pendingChangeOf } from '../subscriptions/subscription-answer.js';
import type { Subscription } from '../subscriptions/subscription.entity.js';
import { isNotTaken } from '../subscriptions/unpaid-change.js';
import { PeriodNotPaid, PlanNotChangeable } from '../subscriptions/subscriptions.errors.js';

const PREVIEW_MS = 15 * MINUTE_MS;
/**
 * The maximum number of simultaneous changes. Further changes wait. Each change holds a database connection until the
 * processor answers, and needs other connections in the meantime, so changes occupy at most half of a small pool.
 */
const CHANGES_AT_ONCE = 3;
/** Maximum number of running and waiting changes; each account can have one. */
const CHANGES_MAX = 50;

const UNDER_WAY = 'Another change to your subscriptions is in progress.';
/** The refusal of changes until a restoration is complete, because the restoration would overwrite them. */
const BEING_RESTORED =
  'This subscription was cancelled with its account. Wait until the restoration has resumed it.';
const NEXT_IS_PAID = 'The next period is already paid. Change the plan once that period has begun.';
const PAUSED =
  'This subscription is paused at the payment processor, so nothing is charged. Contact support.';
const BEING_SET = 'This plan is being brought in line with its payments. Try again in a minute.';

/**
 * Makes the changes that customers request to their subscriptions, and changes to their tax rates. A fetch then updates
 * our rows, as it does after a callback.
 */
@Injectable()
export class PlanChangesService {
  /** The accounts with a running or waiting change. Another change for the same account is rejected. */
  private readonly changing = new Set<string>();
  private readonly turns: Semaphore;

  constructor(
    private readonly own: OwnSubscriptionsService,
    private readonly processors: PaymentProcessors,
    private readonly syncing: SyncService,
    private readonly reasons: CancellationReasonsService,
    private readonly clock: Clock,
    { poolSize }: BillingConfig,
  ) {
    this.turns = new Semaphore(Math.min(CHANGES_AT_ONCE, Math.floor(poolSize / 2)));
  }

  /** @throws NotFound, InvalidRequest, PlanNotChangeable, PeriodNotPaid, ProcessorUnavailable, ChangeRefused. */
  async preview(accountId: string, id: string, request: PlanRequest): Promise<PlanPreviewAnswer> {
    const known = await this.own.findCurrent(accountId, id);
    // PayPal does not report that a period has begun.
    if (known.periodEnd <= this.clock.now()) await this.refreshed(known);
    const { row, effect, change, processor } = await this.planned(accountId, id, request);
    const { plan, quantity } = change;
    const common = {
      currency: row.currency,
      drops_change: pendingChangeOf(row),
      renewal_micros: (plan.unitMicros * BigInt(quantity)).toString(),
      renews_at: row.periodEnd.toISOString(),
    };
    if (effect === 'period_end') {
      const from = row.periodEnd.toISOString();
      return { effect, ...due(0n, row), ...common, from, credits_now: 0 };
    }
    const from = wholeSecond(this.clock.now());
    const { dueMicros } = valueOf(await processor.previewChange(change, from));
    const credits = creditsAtOnce(row, { sku: plan.sku, quantity }, from);
    return {
      effect,
      ...due(dueMicros, row),
      ...common,
      from: from.toISOString(),
      credits_now: credits,
    };
  }

  /**
   * Changes the plan: an upgrade takes effect now, for the price of the preview, and everything else at the end of the
   * period. Rights rise when the upgrade is paid, never because of this answer. A repeat with the same `from` (the time
   * of the preview) and the same `key` (the customer's `Idempotency-Key`) is the same change.
   * @throws the errors of `preview`; AccountDeletedHere, AccountSuspendedHere.
   */
  async change(
    accountId: string,
    id: string,
    request: ChangePlanRequest & { key?: string },
  ): Promise<PlanChangeAnswer> {
    return this.alone(accountId, id, () => this.changeAlone(accountId, id, request));
  }

  private async alone<T>(accountId: string, id: string, work: () => Promise<T>): Promise<T> {
    if (this.changing.has(accountId)) throw new PlanNotChangeable(UNDER_WAY);
    if (this.changing.size >= CHANGES_MAX) throw new ProcessorUnavailable('too many changes');
    this.changing.add(accountId);
    try {
      return await this.turns.use(() => this.own.alone(accountId, id, work));
    } finally {
      this.changing.delete(accountId);
    }
  }

  private async changeAlone(
    accountId: string,
    id: string,
    { from: agreed, key, ...request }: ChangePlanRequest & { key?: string },
  ): Promise<PlanChangeAnswer> {
    await this.own.checkMayBuy(accountId);
    const known = await this.own.findCurrent(accountId, id);
    await this.dropRefused(known);
    // The result of an earlier change may not have arrived yet.
    await this.refreshed(known);
    const { row, effect, change, processor } = await this.planned(accountId, id, request);
    let redirectUrl: string | null = null;
    if (effect === 'now') {
      const from = this.agreedTime(row, agreed);
      const upgrade = { ...change, changeId: changeIdOf(row, change, from, key), from };
      const result = madeBy(await processor.upgrade(upgrade));
      if (result.state === 'payment_required') ({ redirectUrl } = result);
    } else {
      const result = madeBy(await processor.changeAtPeriodEnd(change, newId()));
      if (result.state === 'approval_required') ({ redirectUrl } = result);
    }
    crashPoint('plan-change.after-call');
    await this.own.noteDropped(row, null);
    return { subscription: await this.refreshed(row), redirect_url: redirectUrl };
  }

  /**
   * Cancels the subscription at the end of its period, so that the paid time is not lost. If the
   * customer gave a reason, it is stored first.
   * @throws NotFound, PlanNotChangeable, ProcessorUnavailable, ChangeRefused.
   */
  async cancel(
    accountId: string,
    id: string,
    { reason }: CancelRequest = {},
  ): Promise<PlanChangeAnswer> {
    return this.alone(accountId, id, () => this.cancelAlone(accountId, id, reason));
  }

  /**
   * Undoes a cancellation or a change that waits for the end of the period. If there are both, only the cancellation is
   * undone. A change that the cancellation dropped is scheduled again.
   * @throws the errors of `cancel`; AccountDeletedHere, AccountSuspendedHere.
   */
  async undo(accountId: string, id: string): Promise<PlanChangeAnswer> {
    return this.alone(accountId, id, () => this.undoAlone(accountId, id));
  }

  /**
   * Drops an unpaid change. If the customer has paid in the meantime, the change stays, and the answer shows it. At
   * PayPal, a customer who has agreed to the new plan must also agree to keep the old one.
   * @throws the errors of `cancel`.
   */
  async drop(accountId: string, id: string): Promise<PlanChangeAnswer> {
    return this.alone(accountId, id, async () => {
      const row = await this.own.findCurrent(accountId, id);
      const { processor, externalId } = row;
      const dropped = await this.processors.get(processor).dropChange(externalId, newId());
      if (dropped.outcome === 'unknown') throw new ProcessorUnavailable(dropped.cause, MAY_BE_MADE);
      crashPoint('plan-change.after-call');
      const subscription = await this.refreshed(row);
      // If the processor refused because the change is paid, the change is no longer open.
      const isOpen = subscription.unpaid_change !== null;
      if (dropped.outcome === 'refused' && isOpen) throw refusalOf(dropped);
      // PayPal bills a plan that the customer has agreed to from the next period on, even if the change was not paid.
      const { pending_change: next, cancel_at: cancelAt } = subscription;
      const isAgreed = next?.sku === row.unpaidSku && next.quantity === row.unpaidQuantity;
      const page = isAgreed && !isOpen && cancelAt === null ? await this.keepPlan(row) : null;
      return { subscription, redirect_url: page };
    });
  }

  /**
   * Changes the tax rate from the next period on. The plan and its net price stay. The rate also applies to a change
   * that waits for the end of the period. Does nothing for a cancelled subscription, or if the rate is the same.
   * @throws NotFound, PlanNotChangeable, ProcessorUnavailable, ChangeRefused; InvalidRequest for an unknown plan.
   */
  async changeTax(accountId: string, id: string, taxPpm: number): Promise<void> {
    await this.alone(accountId, id, async () => {
      await this.refreshed(await this.own.findCurrent(accountId, id));
      const row = await this.own.findCurrent(accountId, id);
      if (row.taxPpm === taxPpm || row.cancelAt !== null) return;
      const processor = this.processors.get(row.processor);
      const { pendingSku, pendingQuantity, periodEnd } = row;
      const next = { ...row, taxPpm };
      const change = pendingSku
        ? changeOf(next, plannedUnits(pendingSku, pendingQuantity ?? 1))
        : changeOf(next, unitsOf(row), row.catalogueVersion);
      const key = `tax:${changeIdOf(row, change, periodEnd)}:${taxPpm}`;
      madeBy(await processor.changeTax({ ...change, isPending: pendingSku !== null }, key));
      crashPoint('plan-change.after-call');
      await this.refreshed(row);
    });
  }

  /**
   * Drops a change whose payment was declined or not taken. PayPal keeps the customer's approval, so a later fetch could
   * take the payment, although the customer now wants something else.
   */
  private async dropRefused(row: Subscription): Promise<void> {
    const processor = this.processors.get(row.processor);
    const isRefused = row.unpaidBecause === 'declined' || isNotTaken(row);
    if (!isRefused || !processor.capabilities.changesNeedApproval) return;
    const dropped = await processor.dropChange(row.externalId, newId());
    if (dropped.outcome === 'unknown') throw new ProcessorUnavailable(dropped.cause);
  }

  private async cancelAlone(
    accountId: string,
    id: string,
    reason?: string,
  ): Promise<PlanChangeAnswer> {
    const row = await this.findChangeable(accountId, id);
    const { externalId } = row;
    const processor = this.processors.get(row.processor);
    // The reason and the dropped change are stored before the call, so that a crash after the call does not lose them.
    if (reason !== undefined) {
      await this.reasons.note({ accountId, subscriptionId: row.id, reason });
    }
    if (row.cancelAt === null && !processor.capabilities.changesNeedApproval) {
      await this.own.noteDropped(row, pendingChangeOf(row));
    }
    await this.dropRefused(row);
    madeBy(await processor.cancel(externalId, 'period_end', newId()));
    crashPoint('plan-change.after-call');
    return { subscription: await this.refreshed(row), redirect_url: null };
  }

  private async undoAlone(accountId: string, id: string): Promise<PlanChangeAnswer> {
    await this.own.checkMayBuy(accountId);
    const row = await this.findChangeable(accountId, id);
    const processor = this.processors.get(row.processor);
    let redirectUrl: string | null = null;
    // A cancelled subscription is resumed; a pending change remains pending.
    const isChangeMeant = row.pendingSku !== null && row.cancelAt === null;
    if (isChangeMeant && processor.capabilities.changesNeedApproval) {
      // A change that was approved on the processor's page must also be withdrawn there.
      redirectUrl = await this.keepPlan(row);
    } else {
      madeBy(await processor.resume(row.externalId, newId()));
      const dropped = isChangeMeant ? undefined : droppedBy(row);
      if (dropped) madeBy(await processor.changeAtPeriodEnd(changeOf(row, dropped), newId()));
      await this.own.noteDropped(row, null);
    }
    crashPoint('plan-change.after-call');
    return { subscription: await this.refreshed(row), redirect_url: redirectUrl };
  }

  /** Lets the next period have the same plan. @returns the page where the customer must agree; null if there is none. */
  private async keepPlan(row: Subscription): Promise<string | null> {
    const kept = changeOf(row, unitsOf(row), row.catalogueVersion);
    const processor = this.processors.get(row.processor);
    const result = madeBy(await processor.changeAtPeriodEnd(kept, newId()));
    return result.state === 'approval_required' ? result.redirectUrl : null;
  }

  async paymentPage(accountId: string, id: string): Promise<{ redirect_url: string }> {
    const row = await this.own.findCurrent(accountId, id);
    const { customerId, returnUrl } = await this.own.customerOf(row);
    const processor = this.processors.get(row.processor);
    const page = await processor.paymentUpdateUrl(customerId, returnUrl, row.externalId);
    return { redirect_url: valueOf(page) };
  }

  /** @throws NotFound, PlanNotChangeable. */
  private async findChangeable(accountId: string, id: string): Promise<Subscription> {
    const row = await this.own.findCurrent(accountId, id);
    if (row.isCancelledByDeletion) throw new PlanNotChangeable(BEING_RESTORED);
    return row;
  }

  private async planned(accountId: string, id: string, { sku, quantity = 1 }: PlanRequest) {
    const row = await this.findChangeable(accountId, id);
    const [from, to] = [unitsOf(row), plannedUnits(sku, quantity)];
    const isKept = to.plan.sku === row.sku;
    if (to.plan.line !== row.line || !(isKept || to.plan.isOffered)) throw notSold();
    const effect = effectOfChange(from, to);
    if (!effect) throw new PlanNotChangeable('You are already on this plan.');
    if (row.cancelAt) {
      throw new PlanNotChangeable('This subscription is cancelled. Undo the cancellation first.');
    }
    // The price would be the difference from a plan whose payment was returned.
    if (row.wantedSku !== null) throw new PlanNotChangeable(BEING_SET);
    if (row.state === 'paused') throw new PlanNotChangeable(PAUSED);
    if (row.state !== 'active' || (row.paidThrough ?? row.periodStart) < row.periodEnd) {
      throw new PeriodNotPaid();
    }
    // PayPal bills up to a day early; after that, the new price would apply one period later than the new plan.
    if (row.paidThrough !== null && row.paidThrough > row.periodEnd) {
      throw new PlanNotChangeable(NEXT_IS_PAID);
    }
    return {
      row,
      effect,
      change: changeOf(row, to),
      processor: this.processors.get(row.processor),
    };
  }

  /**
   * Returns the time of the preview, or the current time if there was no preview. The time must be in the paid period:
   * an upgrade as of the end of the previous period would cost next to nothing and still change the plan for the whole
   * current period.
   * @throws InvalidRequest, PeriodNotPaid.
   */
  private agreedTime({ periodStart, periodEnd }: Subscription, agreed: string | undefined): Date {
    const now = this.clock.now();
    if (now >= periodEnd) throw new PeriodNotPaid();
    if (agreed === undefined) return wholeSecond(now);
    const from = wholeSecond(new Date(agreed));
    const isRecent = from <= now && now.getTime() - from.getTime() <= PREVIEW_MS;
    if (isRecent && from >= wholeSecond(periodStart)) return from;
    const message = 'must be in the current period and at most 15 minutes ago';
    throw new InvalidRequest([{ field: 'from', message }]);
  }

  private async refreshed({ accountId, id, processor, externalId }: Subscription) {
    await this.syncing.sync({ processor, kind: 'subscription', id: externalId });
    return this.own.get(accountId, id);
  }
}

const due = (micros: Micros, { taxPpm }: Subscription) => ({
  due_micros: micros.toString(),
  tax_micros: taxWithin(micros, taxPpm).toString(),
});

function plannedUnits(sku: string, quantity: number): PlannedUnits {
  const plan = planOfSku(sku);
  if (!plan || quantity > plan.unitsMax) throw notSold();
  return { plan, quantity };
}

const unitsOf = ({ sku, quantity }: Subscription) => plannedUnits(sku, quantity);

/** Returns the change that the cancellation dropped, if it would still change something. */
function droppedBy(row: Subscription): PlannedUnits | undefined {
  if (row.restorableSku === null) return undefined;
  const units = plannedUnits(row.restorableSku, row.restorableQuantity ?? 1);
  return effectOfChange(unitsOf(row), units) && units;
}

const notSold = () =>
  new InvalidRequest([{ field: 'sku', message: 'is not a plan that this subscription can have' }]);

/** Cuts a time to whole seconds, because processors count in seconds. */
const wholeSecond = (time: Date) => new Date(Math.floor(time.getTime() / 1000) * 1000);
