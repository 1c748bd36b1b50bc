import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { OrderReferencesService } from '../orders/order-references.service.js';
import { OrdersService } from '../orders/orders.service.js';
import { PaymentsService } from '../payments/payments.service.js';
import { ReversalsService } from '../payments/reversals.service.js';
import type {
  PaymentSnapshot,
  ProcessorName,
  ProcessorRef,
  ProcessorSnapshot,
} from '../processors/payment-processor.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import type { ObjectRef } from './wanted-objects.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';

@Injectable()
export class SnapshotsService {
  constructor(
    private readonly orders: OrdersService,
    private readonly references: OrderReferencesService,
    private readonly payments: PaymentsService,
    private readonly reversals: ReversalsService,
    private readonly subscriptions: SubscriptionsService,
    private readonly processors: PaymentProcessors,
  ) {}

  /**
   * Returns the account of an object that needs no further fetch, because its payment is stored;
   * undefined if the object must be fetched. The same fetch may be requested twice: by a bill's
   * callback and its subscription, or by both callbacks of a package.
   */
  async ownerOfSettled(
    transaction: Transaction,
    processor: ProcessorName,
    { kind, id }: ProcessorRef,
  ): Promise<string | undefined> {
    switch (kind) {
      case 'checkout':
        // PayPal's checkout of a plan is the subscription itself, which may have been activated again.
        if (await this.subscriptions.isKnown(transaction, processor, id)) return undefined;
        return this.orders.ownerOfPaid(transaction, processor, id);
      case 'payment':
        return (await this.payments.find(transaction, processor, id))?.accountId;
      case 'bill':
        if (!this.announcesRenewals(processor)) return undefined;
        return this.payments.ownerOfBill(transaction, processor, id);
      default:
        return undefined;
    }
  }

  /**
   * Returns the object to fetch before a snapshot can be stored, if there is one: a refund may arrive before its
   * payment, a bill before its subscription. Before a second subscription of a line, the current subscription is
   * fetched, because it may have ended.
   */
  async neededBefore(
    transaction: Transaction,
    processor: ProcessorName,
    snapshot: ProcessorSnapshot,
  ): Promise<ObjectRef | undefined> {
    switch (snapshot.kind) {
      case 'checkout':
        return undefined;
      case 'subscription': {
        const rival = await this.subscriptions.rivalOf(transaction, processor, snapshot);
        return rival
          ? { processor: rival.processor, kind: 'subscription', id: rival.externalId }
          : undefined;
      }
      case 'bill': {
        const { subscriptionId: id } = snapshot;
        const isDecided = await this.subscriptions.isDecided(transaction, processor, id);
        return isDecided && this.announcesRenewals(processor)
          ? undefined
          : { processor, kind: 'subscription', id };
      }
      case 'payment': {
        if (await this.payments.find(transaction, processor, snapshot.id)) return undefined;
        if (snapshot.billId) return { processor, kind: 'bill', id: snapshot.billId };
        const order = await this.references.find(transaction, processor, snapshot.orderId);
        return order?.checkoutId
          ? { processor, kind: 'checkout', id: order.checkoutId }
          : undefined;
      }
      case 'refund':
      case 'dispute': {
        if (snapshot.kind === 'refund' && snapshot.disputeId !== undefined) {
          return { processor, kind: 'dispute', id: snapshot.disputeId };
        }
        const { paymentId: id } = snapshot;
        if (await this.payments.find(transaction, processor, id)) return undefined;
        // An unreadable bill may have been refunded, which ends its wait for an operator.
        const isHeld = await this.subscriptions.isHeld(transaction, processor, id);
        return { processor, kind: isHeld ? 'bill' : 'payment', id };
      }
    }
  }

  /**
   * Returns the subscription and the start of a period, unless the processor itself reports when periods begin. For a
   * bill, this is the bill's period; for an overdue subscription, the next period, because the payment may have been
   * due early.
   */
  begunBy(
    processor: ProcessorName,
    snapshot: ProcessorSnapshot,
  ): { ref: ProcessorRef; at: Date } | undefined {
    if (this.announcesRenewals(processor)) return undefined;
    const ref = (id: string) => ({ kind: 'subscription', id }) as const;
    switch (snapshot.kind) {
      case 'bill': {
        const [line] = snapshot.lines;
        return line && { ref: ref(snapshot.subscriptionId), at: line.from };
      }
      case 'subscription': {
        const { id, state, periodEnd: at } = snapshot;
        return state === 'past_due' ? { ref: ref(id), at } : undefined;
      }
      default:
        return undefined;
    }
  }

  /** Whether the processor reports that a period has begun. With other processors, only the bill shows this. */
  private announcesRenewals(processor: ProcessorName): boolean {
    return this.processors.find(processor)?.capabilities.announcesRenewals === true;
  }

  /**
   * Lists the objects to fetch after a snapshot: the subscription that a checkout started, or the paid bills that a
   * subscription names and whose payments are not stored.
   */
  async wantedAfter(
    transaction: Transaction,
    processor: ProcessorName,
    snapshot: ProcessorSnapshot,
  ): Promise<ProcessorRef[]> {
    if (snapshot.kind === 'checkout') {
      const { subscriptionId: id } = snapshot;
      return id === undefined ? [] : [{ kind: 'subscription', id }];
    }
    if (snapshot.kind !== 'subscription') return [];
    const { latestBill, paidChangeId } = snapshot;
    const ids = new Set([latestBill?.isPaid ? latestBill.id : undefined, paidChangeId]);
    const wanted: ProcessorRef[] = [];
    for (const id of ids) {
      if (id === undefined || (await this.payments.ownerOfBill(transaction, processor, id)))
        continue;
      wanted.push({ kind: 'bill', id });
    }
    return wanted.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  /**
   * Stores what a snapshot changes; a payment alone changes nothing.
   * @returns the account that owns the object, unless the object is not ours or cannot be stored yet; and when to fetch
   * it again, if it is not decided yet.
   */
  async apply(
    transaction: Transaction,
    processor: ProcessorName,
    snapshot: ProcessorSnapshot,
  ): Promise<{ owner: string | undefined; lookAgainAt?: Date }> {
    switch (snapshot.kind) {
      case 'checkout':
        return { owner: await this.orders.applyCheckout(transaction, processor, snapshot) };
      case 'payment':
        return { owner: await this.ownerOfPayment(transaction, processor, snapshot) };
      case 'subscription':
        return { owner: await this.subscriptions.applySnapshot(transaction, processor, snapshot) };
      case 'bill':
        return { owner: await this.subscriptions.applyBill(transaction, processor, snapshot) };
      case 'refund':
      case 'dispute': {
        const payment = await this.payments.find(transaction, processor, snapshot.paymentId);
        // Before the payment's rows, like everywhere else: a second subscription's payments become unwanted under it.
        if (payment) await this.subscriptions.lock(transaction, payment.accountId);
        const reversed = await this.reversals.apply(transaction, processor, snapshot);
        if (reversed?.isNews) {
          await this.orders.applyReversed(transaction, reversed);
          await this.subscriptions.applyReversed(transaction, reversed.payment);
        }
        return { owner: reversed?.payment.accountId, lookAgainAt: reversed?.lookAgainAt };
      }
    }
  }

  /**
   * Returns the account of a payment, if it is known. A payment that has not succeeded is not stored, so its account is
   * found through the order.
   */
  private async ownerOfPayment(
    transaction: Transaction,
    processor: ProcessorName,
    { id, state, orderId }: PaymentSnapshot,
  ): Promise<string | undefined> {
    const payment = await this.payments.find(transaction, processor, id);
    if (payment || state === 'succeeded') return payment?.accountId;
    return (await this.references.find(transaction, processor, orderId))?.accountId;
  }
}
