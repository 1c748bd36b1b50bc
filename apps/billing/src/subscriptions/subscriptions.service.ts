import { Injectable } from '@nestjs/common';
import {
  SubscriptionChanged,
  type SubscriptionLineName,
  type SubscriptionState,
  planOfSku,
} from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Outbox } from '#libs/messaging';
import { Clock, newId } from '#libs/platform';
import { AccountStatesService } from '../account-states/account-states.service.js';
import { OrderReferencesService } from '../orders/order-references.service.js';
import type { Payment } from '../payment-records/payment.entity.js';
import type { SubscriptionPayment } from '../payments/subscription-payment.js';
import { type PaidLine, PaymentsService } from '../payments/payments.service.js';
import type {
  BillSnapshot,
  ProcessorName,
  SubscriptionSnapshot,
} from '../processors/payment-processor.js';
import { announced, announcedEnd, isBegun, isNews } from './announced-subscription.js';
import { paidLineOf } from '../bills/bill-lines.js';
import { type PaidTime, paidTimeOf } from '../bills/paid-time.js';
import { NOTHING_HELD, heldWith, heldWithout } from './held-bills.js';
import type { Subscription } from './subscription.entity.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import { NOTHING_UNPAID, notTakenMembers, unpaidMembers } from './unpaid-change.js';

/** States in which a subscription is current for its line, so that no other may be started. */
const CURRENT_STATES: readonly SubscriptionState[] = [
  'incomplete',
  'trialing',
  'active',
  'past_due',
  'paused',
];

const NOT_OURS = 'the processor names a plan that is not ours';
const NO_WISH = { wantedSku: null, wantedQuantity: null } as const;

@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly orders: OrderReferencesService,
    private readonly accounts: AccountStatesService,
    private readonly payments: PaymentsService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a fetched subscription. @returns the account that owns it; undefined if none of our orders started it, or if
   * a new one has an unknown plan.
   */
  async applySnapshot(
    transaction: Transaction,
    processor: ProcessorName,
    snapshot: SubscriptionSnapshot,
  ): Promise<string | undefined> {
    const known = await this.subscriptions.lockByExternalId(transaction, processor, snapshot.id);
    const begun = known ?? (await this.begin(transaction, processor, snapshot));
    if (!begun) return undefined;
    const members = await this.membersOf(transaction, begun, snapshot);
    await this.write(transaction, begun, members);
    if (members.isDuplicate) await this.payments.unwant(transaction, begun);
    return begun.accountId;
  }

  /**
   * Stores the payment of a paid bill and updates the paid period. An unreadable paid bill is set aside; other bills
   * change nothing.
   * @returns the account that owns the bill; undefined if the subscription is unknown, or the bill of the changed
   * period is not stored yet.
   */
  async applyBill(
    transaction: Transaction,
    processor: ProcessorName,
    bill: BillSnapshot,
  ): Promise<string | undefined> {
    const { subscriptionId } = bill;
    const row = await this.subscriptions.lockByExternalId(transaction, processor, subscriptionId);
    if (!row || bill.state !== 'paid') return row?.accountId;
    const { accountId, id } = row;
    const stretches = await this.payments.listStretches(transaction, accountId, id);
    const line = paidLineOf(bill, { id, periodStartAt: (end) => periodStartAt(stretches, end) });
    if ('fault' in line) {
      if (line.isEarly) return undefined;
      await this.setAside(transaction, row, bill, line.fault);
      return accountId;
    }
    if (!(await this.confirm(transaction, row, bill, line))) {
      const fault = 'its payment belongs to another order or bill';
      await this.setAside(transaction, row, bill, fault);
      return accountId;
    }
    const paidTime = await this.paidTimeOf(transaction, row);
    const isPlanPaid = bill.reason === 'change' && !bill.isTooLate && row.wantedSku !== null;
    await this.write(transaction, row, {
      ...paidMembers(paidTime),
      ...(isPlanPaid && NO_WISH),
      ...heldWithout(row, bill.id, paidTime.paidThrough),
    });
    return accountId;
  }

  /**
   * Sets an unreadable bill aside, unless its payment is stored or returned. PayPal's payments name no plan, so once
   * the subscription has changed, a stored bill may seem to be for another plan or period.
   */
  private async setAside(
    transaction: Transaction,
    row: Subscription,
    bill: BillSnapshot,
    fault: string,
  ): Promise<void> {
    if (await this.payments.ownerOfBill(transaction, row.processor, bill.id)) return;
    const members = bill.isReturned
      ? heldWithout(row, bill.id, row.paidThrough)
      : heldWith(row, bill, fault);
    await this.write(transaction, row, members);
  }

  private confirm(
    transaction: Transaction,
    row: Subscription,
    bill: BillSnapshot,
    line: PaidLine,
  ): Promise<boolean> {
    const { accountId, orderId, processor, catalogueVersion, isDuplicate } = row;
    return this.payments.confirm(transaction, {
      accountId,
      orderId: bill.reason === 'start' ? orderId : null,
      processor,
      payment: { id: bill.paymentId ?? bill.id, ...moneyOf(bill) },
      billId: bill.id,
      catalogueVersion,
      lines: [line],
      isAnnounced: !isDuplicate && !bill.isTooLate,
    });
  }

  /** Locks an account's subscriptions until the transaction ends. Call this before locking a payment. */
  async lock(transaction: Transaction, accountId: string): Promise<void> {
    await this.subscriptions.lock(transaction, accountId);
  }

  /**
   * Applies a change to the reversed part of a payment: rights and plan follow the part that is still paid. Call `lock`
   * first.
   */
  async applyReversed(transaction: Transaction, { accountId, id }: Payment): Promise<void> {
    const paid = { paymentId: id, now: this.clock.now() };
    const row = await this.subscriptions.findPaidBy(transaction, accountId, paid);
    if (!row || row.isDuplicate) return;
    const paidTime = await this.paidTimeOf(transaction, row);
    await this.write(transaction, row, { ...paidMembers(paidTime), ...wishAfter(row, paidTime) });
  }

  /**
   * Finds the current subscription of a line, which prevents another subscription from being
   * started; returns null if there is none.
   */
  async currentOf(
    transaction: Transaction,
    accountId: string,
    line: SubscriptionLineName,
  ): Promise<Subscription | null> {
    return this.subscriptions.findCurrent(transaction, accountId, line);
  }

  async find(
    transaction: Transaction,
    accountId: string,
    id: string,
  ): Promise<Subscription | null> {
    return this.subscriptions.find(transaction, accountId, id);
  }

  async isKnown(
    transaction: Transaction,
    processor: ProcessorName,
    externalId: string,
  ): Promise<boolean> {
    return (await this.subscriptions.findKnown(transaction, processor, externalId)) !== undefined;
  }

  /** Whether an unreadable bill keeps a subscription set aside. */
  async isHeld(
    transaction: Transaction,
    processor: ProcessorName,
    billId: string,
  ): Promise<boolean> {
    return this.subscriptions.isHeld(transaction, processor, billId);
  }

  /**
   * Whether the bills of a subscription may be applied, because it is decided which of two subscriptions of a line
   * counts.
   */
  async isDecided(
    transaction: Transaction,
    processor: ProcessorName,
    externalId: string,
  ): Promise<boolean> {
    const known = await this.subscriptions.findKnown(transaction, processor, externalId);
    return known !== undefined && (known.isCurrent || known.isDuplicate);
  }

  /**
   * Finds another current subscription of the same line, which may have ended since we last fetched
   * it. Returns null if there is none, or if the given subscription has ended or is already decided.
   */
  async rivalOf(
    transaction: Transaction,
    processor: ProcessorName,
    { id, state, sku, orderId }: SubscriptionSnapshot,
  ): Promise<Subscription | null> {
    const row = await this.subscriptions.findByExternalId(transaction, processor, id);
    if (!CURRENT_STATES.includes(state) || row?.isCurrent || row?.isDuplicate) return null;
    const line = row?.line ?? planOfSku(sku)?.line;
    const owner = row ?? (await this.orders.find(transaction, processor, orderId));
    return owner && line
      ? this.subscriptions.findCurrent(transaction, owner.accountId, line)
      : null;
  }

  private async paidTimeOf(transaction: Transaction, row: Subscription): Promise<PaidTime> {
    return paidTimeOf(await this.payments.listStretches(transaction, row.accountId, row.id));
  }

  private async begin(
    transaction: Transaction,
    processor: ProcessorName,
    snapshot: SubscriptionSnapshot,
  ): Promise<Subscription | null> {
    const order = await this.orders.find(transaction, processor, snapshot.orderId);
    const plan = planOfSku(snapshot.sku);
    if (!order || !plan) return null;
    await this.subscriptions.lock(transaction, order.accountId);
    const now = this.clock.now();
    const row: Subscription = {
      id: newId(),
      accountId: order.accountId,
      orderId: order.id,
      line: plan.line,
      processor,
      externalId: snapshot.id,
      state: 'incomplete',
      sku: snapshot.sku,
      quantity: snapshot.quantity,
      interval: plan.interval,
      catalogueVersion: snapshot.catalogueVersion,
      currency: snapshot.currency,
      taxPpm: snapshot.taxPpm,
      isReverseCharge: null,
      taxDecidedAt: null,
      nextTaxPpm: null,
      periodStart: snapshot.periodStart,
      periodEnd: snapshot.periodEnd,
      paidThrough: null,
      cancelAt: null,
      pendingSku: null,
      pendingQuantity: null,
      ...NOTHING_UNPAID,
      isCurrent: false,
      // A subscription whose money arrived after the deletion is ended and refunded like a duplicate.
      isDuplicate: !(await this.accounts.isActive(transaction, order.accountId)),
      isCancelledByDeletion: false,
      restorableSku: null,
      restorableQuantity: null,
      isReversed: false,
      ...NO_WISH,
      ...NOTHING_HELD,
      paidSku: null,
      paidQuantity: null,
      graceSku: null,
      graceQuantity: null,
      createdAt: now,
      updatedAt: now,
    };
    await this.subscriptions.insert(transaction, row);
    return row;
  }

  private async membersOf(
    transaction: Transaction,
    row: Subscription,
    snapshot: SubscriptionSnapshot,
  ): Promise<Partial<Subscription>> {
    const plan = planOfSku(snapshot.sku);
    if (!plan) return { setAsideBecause: row.setAsideBecause ?? NOT_OURS };
    const counts = CURRENT_STATES.includes(snapshot.state) && !row.isDuplicate;
    // Rows of an earlier release do not record what was paid.
    const isPaidUnknown = row.paidSku === null && row.paidThrough !== null;
    const current = await this.subscriptions.findCurrent(transaction, row.accountId, row.line);
    const isTaken = current !== null && current.id !== row.id;
    return {
      state: snapshot.state,
      sku: snapshot.sku,
      quantity: snapshot.quantity,
      interval: plan.interval,
      catalogueVersion: snapshot.catalogueVersion,
      taxPpm: snapshot.taxPpm,
      periodStart: snapshot.periodStart,
      periodEnd: snapshot.periodEnd,
      cancelAt: snapshot.cancelAt,
      pendingSku: snapshot.pendingChange?.sku ?? null,
      pendingQuantity: snapshot.pendingChange?.quantity ?? null,
      ...unpaidMembers(row, snapshot.unpaidChange),
      // The rate was decided for the next plan and was part of the price of that plan.
      ...(isOtherNext(row, snapshot) && { taxDecidedAt: null, nextTaxPpm: null }),
      isCurrent: counts && !isTaken,
      isDuplicate: row.isDuplicate || (counts && isTaken),
      ...notTakenMembers(row, snapshot.notTakenBecause),
      ...(row.setAsideBecause === NOT_OURS && NOTHING_HELD),
      ...(isPaidUnknown && paidMembers(await this.paidTimeOf(transaction, row))),
      ...(snapshot.sku === row.wantedSku && snapshot.quantity === row.wantedQuantity && NO_WISH),
    };
  }

  /**
   * Writes changes, and publishes the subscription if its published form changes. A repeat does neither. If a published
   * subscription turns out to be a duplicate, publishes its end.
   */
  private async write(
    transaction: Transaction,
    row: Subscription,
    members: Partial<Subscription>,
  ): Promise<void> {
    const { accountId: key, id } = row;
    const lock = await this.outbox.lock(transaction, { key, aggregate: `subscription:${id}` });
    const current = (await this.subscriptions.find(transaction, key, id)) as Subscription;
    const next = { ...current, ...members };
    if (isSame(current, next)) return;
    next.updatedAt = this.clock.now();
    await this.subscriptions.update(transaction, current, {
      ...members,
      updatedAt: next.updatedAt,
    });
    if (next.isDuplicate) {
      if (current.isDuplicate || isBegun(current)) return;
      await this.outbox.add(transaction, lock, SubscriptionChanged, announcedEnd(next));
    } else if (isNews(current, next)) {
      await this.outbox.add(transaction, lock, SubscriptionChanged, announced(next));
    }
  }
}

/**
 * Returns the columns for the plan to restore after a reversal. A reversal that leaves the paid plan as it was says
 * nothing about a later period on another plan, whose payment is still expected.
 */
function wishAfter(
  row: Subscription,
  { plan, paid, paidThrough }: PaidTime,
): Pick<Subscription, 'wantedSku' | 'wantedQuantity'> | undefined {
  if (!plan) return NO_WISH;
  const isPaidSame = paid?.sku === row.paidSku && paid?.quantity === row.paidQuantity;
  if (isPaidSame && paidThrough?.getTime() !== row.periodEnd.getTime()) return undefined;
  const isOther = plan.sku !== row.sku || plan.quantity !== row.quantity;
  return isOther ? { wantedSku: plan.sku, wantedQuantity: plan.quantity } : NO_WISH;
}

const paidMembers = ({ paidThrough, isReversed, paid, grace }: PaidTime) => {
  return {
    paidThrough,
    isReversed,
    paidSku: paid?.sku ?? null,
    paidQuantity: paid?.quantity ?? null,
    graceSku: grace?.sku ?? null,
    graceQuantity: grace?.quantity ?? null,
  };
};

const moneyOf = ({ amountMicros, currency }: BillSnapshot) => ({ amountMicros, currency });

function periodStartAt(stretches: readonly SubscriptionPayment[], end: Date): Date | undefined {
  return stretches.find(({ periodEnd }) => periodEnd.getTime() === end.getTime())?.periodStart;
}

function isOtherNext(
  row: Subscription,
  { pendingChange, ...running }: SubscriptionSnapshot,
): boolean {
  const { sku, quantity } = pendingChange ?? running;
  return sku !== (row.pendingSku ?? row.sku) || quantity !== (row.pendingQuantity ?? row.quantity);
}

function isSame(current: Subscription, next: Subscription): boolean {
  const comparable = (row: Subscription) => JSON.stringify({ ...row, updatedAt: null });
  return comparable(current) === comparable(next);
}
