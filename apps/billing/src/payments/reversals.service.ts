import { Injectable } from '@nestjs/common';
import { PaymentReversalUndone, PaymentReversed } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Outbox } from '#libs/messaging';
import { Clock, newId } from '#libs/platform';
import { InvoicesService } from '../invoices/invoices.service.js';
import type {
  DisputeSnapshot,
  ProcessorName,
  RefundSnapshot,
} from '../processors/payment-processor.js';
import type { Payment } from './payment.entity.js';
import { PaymentsRepository } from './payments.repository.js';
import type { Reversal, ReversalState } from './reversal.entity.js';
import { wholeReversal } from './reversed-lines.js';

/** What was taken back of a payment in all, after the latest change. */
export interface ReversedPayment {
  payment: Payment;
  refundedMicros: bigint;
  isDisputed: boolean;
}

const STATES: Readonly<Record<RefundSnapshot['state'] | DisputeSnapshot['state'], ReversalState>> =
  {
    pending: 'requested',
    succeeded: 'final',
    failed: 'undone',
    open: 'requested',
    lost: 'final',
    won: 'undone',
  };

/** Refunds and disputes of payments, made here or at the processor. */
@Injectable()
export class ReversalsService {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly invoices: InvoicesService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes over what a fetch of a refund or dispute said, and announces what is new.
   * @returns null when no payment of ours belongs to it.
   */
  async apply(
    transaction: Transaction,
    processor: ProcessorName,
    snapshot: RefundSnapshot | DisputeSnapshot,
  ): Promise<ReversedPayment | null> {
    const { paymentId: externalId } = snapshot;
    const payment = await this.payments.findByExternalId(transaction, processor, externalId);
    if (!payment) return null;
    const aggregate = `payment:${payment.id}`;
    const lock = await this.outbox.lock(transaction, { key: payment.accountId, aggregate });
    const reversals = await this.payments.listReversals(transaction, payment);
    const next = this.nextOf(payment, snapshot, reversals);
    if (next) {
      await this.payments.putReversal(transaction, next);
      this.invoices.correct(transaction, payment, next);
      if (!payment.isAnnounced) {
        // Nobody heard of this money, nor shall anybody hear that it is given back.
      } else if (next.state === 'undone') {
        const data = { reversalId: next.id };
        await this.outbox.add(transaction, lock, PaymentReversalUndone, data);
      } else {
        const lines = await this.payments.listLines(transaction, payment);
        await this.outbox.add(transaction, lock, PaymentReversed, {
          reversalId: next.id,
          paymentId: payment.id,
          cause: next.cause,
          phase: next.state,
          lines: wholeReversal(next.amountMicros, lines),
        });
      }
    }
    return reversedPayment(payment, [...reversals.filter(({ id }) => id !== next?.id), next]);
  }

  /** The row that this snapshot leads to; undefined when it says nothing new. */
  private nextOf(
    payment: Payment,
    { kind, id, state: external, amountMicros }: RefundSnapshot | DisputeSnapshot,
    reversals: readonly Reversal[],
  ): Reversal | undefined {
    const state = STATES[external];
    const attempts = reversals.filter((row) => row.cause === kind && row.externalId === id);
    const latest = attempts.toSorted((a, b) => a.attempt - b.attempt).at(-1);
    const now = this.clock.now();
    if (latest?.state === state && latest.amountMicros === amountMicros) return undefined;
    if (latest && latest.state !== 'undone') {
      return { ...latest, state, amountMicros, updatedAt: now };
    }
    // Nothing was announced that could be undone.
    if (state === 'undone') return undefined;
    return {
      id: newId(),
      accountId: payment.accountId,
      paymentId: payment.id,
      processor: payment.processor,
      cause: kind,
      externalId: id,
      attempt: (latest?.attempt ?? 0) + 1,
      state,
      amountMicros,
      createdAt: now,
      updatedAt: now,
    };
  }
}

function reversedPayment(payment: Payment, rows: (Reversal | undefined)[]): ReversedPayment {
  const known = rows.filter((row) => row !== undefined);
  const refunds = known.filter((row) => row.cause === 'refund' && row.state === 'final');
  return {
    payment,
    refundedMicros: refunds.reduce((sum, { amountMicros }) => sum + amountMicros, 0n),
    isDisputed: known.some((row) => row.cause === 'dispute' && row.state !== 'undone'),
  };
}
