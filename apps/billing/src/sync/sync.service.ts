import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { OrdersService } from '../orders/orders.service.js';
import { ReversalsService } from '../payments/reversals.service.js';
import { PaymentsService } from '../payments/payments.service.js';
import type { ProcessorName, ProcessorSnapshot } from '../processors/payment-processor.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { type ObjectRef, ProcessorObjectsRepository } from './processor-objects.repository.js';

/**
 * `unknown`: the processor gave no answer. `refused`: it knows no such object. `foreign`: nothing of ours
 * belongs to it. All three are tried again, ever more rarely, and stay visible meanwhile.
 */
export type SyncResult = 'synced' | 'unknown' | 'refused' | 'foreign';

/** Fetches that overtake one another more often than this are left to the next round. */
const RACES_MAX = 5;

/**
 * Brings our rows to what the processor says now. Whatever the reason (a callback, a return, a look after a
 * silent order), the fetch is the same, so neither order nor repeats of reasons matter (S44, S49).
 */
@Injectable()
export class SyncService {
  // oxlint-disable-next-line eslint/max-params -- a constructor may have six
  constructor(
    private readonly database: Database,
    private readonly objects: ProcessorObjectsRepository,
    private readonly processors: PaymentProcessors,
    private readonly orders: OrdersService,
    private readonly payments: PaymentsService,
    private readonly reversals: ReversalsService,
  ) {}

  async sync(ref: ObjectRef): Promise<SyncResult> {
    const processor = this.processors.get(ref.processor);
    for (let race = 0; race < RACES_MAX; race += 1) {
      const syncNo = await this.objects.readSyncNo(ref);
      const fetched = await processor.fetch({ kind: ref.kind, id: ref.id });
      if (fetched.outcome !== 'done') return fetched.outcome;
      await this.prepare(ref.processor, fetched.value);
      const result = await this.database.transaction(async (transaction) => {
        if (!(await this.objects.advance(transaction, ref, syncNo))) return 'overtaken';
        const isOurs = await this.apply(transaction, ref.processor, fetched.value);
        return isOurs ? 'synced' : 'foreign';
      });
      if (result !== 'overtaken') return result;
    }
    return 'unknown';
  }

  /** Fetches first what a snapshot stands on: a refund may be heard of before its payment. */
  private async prepare(processor: ProcessorName, snapshot: ProcessorSnapshot): Promise<void> {
    if (snapshot.kind === 'checkout') return;
    const paymentId = snapshot.kind === 'payment' ? snapshot.id : snapshot.paymentId;
    const known = await this.database.transaction((transaction) =>
      this.payments.find(transaction, processor, paymentId),
    );
    if (known) return;
    if (snapshot.kind === 'payment') {
      const checkoutId = await this.orders.findCheckout(processor, snapshot.orderId ?? '');
      if (checkoutId) await this.sync({ processor, kind: 'checkout', id: checkoutId });
    } else {
      await this.sync({ processor, kind: 'payment', id: paymentId });
    }
  }

  /** @returns false when nothing of ours belongs to the object. */
  private async apply(
    transaction: Transaction,
    processor: ProcessorName,
    snapshot: ProcessorSnapshot,
  ): Promise<boolean> {
    switch (snapshot.kind) {
      case 'checkout':
        return this.orders.applyCheckout(transaction, processor, snapshot);
      case 'payment':
        return (await this.payments.find(transaction, processor, snapshot.id)) !== null;
      case 'refund':
      case 'dispute': {
        const reversed = await this.reversals.apply(transaction, processor, snapshot);
        if (reversed) await this.orders.applyReversed(transaction, reversed);
        return reversed !== null;
      }
    }
  }
}
