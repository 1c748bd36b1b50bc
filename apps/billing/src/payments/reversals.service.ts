import { Injectable } from '@nestjs/common';
import { PaymentReversalUndone, PaymentReversed } from '#libs/contracts';
import { IdempotencyKeyReused, type Transaction } from '#libs/database';
import { type AggregateLock, Outbox } from '#libs/messaging';
import { Clock, DAY_MS, newId } from '#libs/platform';
import { InvoicesService } from '../invoices/invoices.service.js';
import type {
  DisputeSnapshot,
  ProcessorName,
  RefundSnapshot,
} from '../processors/payment-processor.js';
import type { Payment } from '../payment-records/payment.entity.js';
import { PaymentsRepository } from './payments.repository.js';
import { failed, isFailedRefund, isUnconfirmed } from './failed-refund.js';
import type { Reversal, ReversalState } from '../payment-records/reversal.entity.js';
import { reversedLines } from './reversed-lines.js';
import { takenCredits } from './taken-credits.js';

export interface ReversedPayment {
  payment: Payment;
  refundedMicros: bigint;
  isDisputed: boolean;
  isNews: boolean;
  /** When to fetch a refund again if it counts as the money of a dispute that is not decided yet. */
  lookAgainAt?: Date;
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

/** How long after the decision of a dispute a processor may report the money that it takes back. */
const SETTLED_MS = 7 * DAY_MS;

@Injectable()
export class ReversalsService {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly invoices: InvoicesService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Applies a fetched refund or dispute and announces changes.
   * @returns null if the object belongs to none of our payments.
   */
  async apply(
    transaction: Transaction,
    processor: ProcessorName,
    snapshot: RefundSnapshot | DisputeSnapshot,
  ): Promise<ReversedPayment | null> {
    const { paymentId: externalId } = snapshot;
    const payment = await this.payments.findByExternalId(transaction, processor, externalId);
    if (!payment) return null;
    const lock = await this.lock(transaction, payment);
    const reversals = await this.payments.listReversals(transaction, payment);
    const next = this.nextOf(payment, snapshot, reversals);
    if (next) {
      const isOther = reversals.every(({ id }) => id !== next.id);
      if (isOther && next.cause === 'refund') await this.replace(transaction, payment, reversals);
      await this.payments.putReversal(transaction, next);
      await this.announce(transaction, lock, payment, { next, reversals });
      // The payment no longer counts as returned if its reversal was undone and no retry is scheduled, nor after a lost
      // dispute, which may have taken only a part.
      const isHere =
        next.state === 'undone'
          ? next.retryAt === null
          : next.cause === 'dispute' && next.state === 'final';
      if (isHere) await this.payments.markReturned(transaction, payment, null);
      const isReplaced = next.state === 'undone' && STATES[snapshot.state] === 'final';
      if (isReplaced) return this.apply(transaction, processor, snapshot);
    }
    const rows = next ? [...reversals.filter(({ id }) => id !== next.id), next] : reversals;
    const isUndecided = disputeOf(snapshot, reversals)?.state === 'requested';
    return {
      ...reversedPayment(payment, rows),
      isNews: next !== undefined,
      ...(isUndecided && { lookAgainAt: nextDay(this.clock.now()) }),
    };
  }

  /**
   * Stores and announces a refund before the processor is called. Under the payment's lock, `build` creates the
   * refund's row from the earlier reversals, or finds that there is nothing to refund. If the row's id is already
   * stored, the stored row is returned unchanged. A new refund replaces the failed refund that it retries, or else all
   * refunds that failed before.
   * @throws IdempotencyKeyReused if the id belongs to another payment; the errors of `build`.
   */
  async begin<Built extends Reversal | undefined>(
    transaction: Transaction,
    payment: Payment,
    build: (reversals: readonly Reversal[]) => Built,
  ): Promise<Reversal | Built> {
    const lock = await this.lock(transaction, payment);
    const reversals = await this.payments.listReversals(transaction, payment);
    const wanted = build(reversals);
    if (!wanted) return wanted;
    const known = reversals.find(({ id }) => id === wanted.id);
    if (known) return known;
    const isNew = await this.payments.insertReversal(transaction, wanted);
    if (!isNew) throw new IdempotencyKeyReused();
    const { retryOf } = wanted;
    const replaced = reversals.filter(({ id }) => retryOf === null || id === retryOf);
    await this.replace(transaction, payment, replaced);
    await this.announce(transaction, lock, payment, { next: wanted, reversals });
    return wanted;
  }

  /**
   * Dismisses a failed refund, or one that the processor has not confirmed, which then counts as failed. If such a
   * refund was made after all, it counts once its callback arrives. @returns false if the refund has not failed, or is
   * closed.
   */
  async dismiss(transaction: Transaction, payment: Payment, reversalId: string): Promise<boolean> {
    await this.giveUp(transaction, payment, reversalId);
    const reversals = await this.payments.listReversals(transaction, payment);
    const own = reversals.filter(({ id }) => id === reversalId);
    return (await this.close(transaction, own)) > 0;
  }

  /** Marks a refund that was started here as failed, unless the processor has confirmed it. */
  async giveUp(transaction: Transaction, payment: Payment, reversalId: string): Promise<void> {
    const lock = await this.lock(transaction, payment);
    const reversals = await this.payments.listReversals(transaction, payment);
    const begun = reversals.find(({ id }) => id === reversalId);
    if (!begun || !isUnconfirmed(begun)) return;
    const undone = failed(begun, this.clock.now());
    await this.payments.putReversal(transaction, undone);
    await this.announce(transaction, lock, payment, { next: undone, reversals });
  }

  /**
   * Closes the failed refunds that another refund replaces. What remains of an unwanted payment is then refunded
   * separately.
   */
  private async replace(
    transaction: Transaction,
    payment: Payment,
    reversals: readonly Reversal[],
  ): Promise<void> {
    const closed = await this.close(transaction, reversals);
    if (closed > 0) await this.payments.markReturned(transaction, payment, null);
  }

  private async close(transaction: Transaction, reversals: readonly Reversal[]): Promise<number> {
    const open = reversals.filter(isFailedRefund);
    const closedAt = this.clock.now();
    for (const one of open) {
      await this.payments.putReversal(transaction, { ...one, closedAt, retryAt: null });
    }
    return open.length;
  }

  private lock(transaction: Transaction, { id, accountId: key }: Payment): Promise<AggregateLock> {
    return this.outbox.lock(transaction, { key, aggregate: `payment:${id}` });
  }

  /** Announces that a reversal has changed, unless its payment was never announced, and corrects the invoice. */
  private async announce(
    transaction: Transaction,
    lock: AggregateLock,
    payment: Payment,
    { next, reversals }: { next: Reversal; reversals: readonly Reversal[] },
  ): Promise<void> {
    const lines = await this.payments.listLines(transaction, payment);
    const credits = payment.isAnnounced ? takenCredits(next, reversals, lines) : 0n;
    this.invoices.correct(transaction, payment, next, credits);
    if (!payment.isAnnounced) return;
    if (next.state === 'undone') {
      await this.outbox.add(transaction, lock, PaymentReversalUndone, { reversalId: next.id });
      return;
    }
    await this.outbox.add(transaction, lock, PaymentReversed, {
      reversalId: next.id,
      paymentId: payment.id,
      cause: next.cause,
      phase: next.state,
      lines: reversedLines(next, lines, payment.amountMicros),
    });
  }

  /** Returns the row that results from this snapshot; undefined if nothing has changed. */
  private nextOf(
    payment: Payment,
    snapshot: RefundSnapshot | DisputeSnapshot,
    reversals: readonly Reversal[],
  ): Reversal | undefined {
    const { kind, id, amountMicros } = snapshot;
    const state = STATES[snapshot.state];
    const latest = latestOf(snapshot, reversals);
    const now = this.clock.now();
    if (latest && latest.state !== 'undone') {
      // The money stays withdrawn during the appeal against a lost dispute, which may have taken only a part.
      const isAppeal = latest.state === 'final' && state === 'requested';
      const next = isAppeal ? 'final' : state;
      // Each phase is announced once, so the amount of an open dispute may change only with its decision.
      const isSameAmount = isAppeal || next === 'requested' || latest.amountMicros === amountMicros;
      const isKnown = latest.externalId !== null && isSameAmount;
      if (isKnown && latest.state === next) return undefined;
      // A decided amount that changes is announced as another attempt.
      if (latest.state === 'final' && next === 'final' && !isSameAmount) {
        return { ...latest, state: 'undone', updatedAt: now };
      }
      const news = { ...latest, externalId: id, state: next, amountMicros, updatedAt: now };
      return next === 'undone' ? failed(news, now) : news;
    }
    // Without an earlier announcement, there is nothing to undo.
    if (state === 'undone' || disputeOf(snapshot, reversals)) return undefined;
    return {
      id: newId(),
      accountId: payment.accountId,
      paymentId: payment.id,
      processor: payment.processor,
      cause: kind,
      externalId: id,
      attempt: (latest?.attempt ?? 0) + 1,
      state,
      scope: latest?.scope ?? 'whole',
      startsAt: latest?.startsAt ?? null,
      amountMicros,
      reason: latest?.reason ?? null,
      retryOf: null,
      retryAt: null,
      closedAt: null,
      createdAt: now,
      updatedAt: now,
    };
  }
}

/**
 * Finds the latest attempt to which a snapshot belongs; returns undefined if there is none. A
 * refund that was started here and has no processor id yet is found by our own id.
 */
function latestOf(
  snapshot: RefundSnapshot | DisputeSnapshot,
  reversals: readonly Reversal[],
): Reversal | undefined {
  const { kind, id } = snapshot;
  const own = kind === 'refund' ? snapshot.refundId : null;
  return reversals
    .filter((row) => row.cause === kind && (row.externalId ?? id) === id)
    .filter((row) => row.externalId !== null || row.id === own)
    .toSorted((a, b) => a.attempt - b.attempt)
    .at(-1);
}

/**
 * Returns the start of the next day, so that an object is fetched at most once more, however often it is fetched today.
 */
const nextDay = (now: Date) => new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS);

/**
 * Finds the dispute whose money a refund is; the refund then counts only as a part of the dispute. Such a refund is
 * made while the dispute is open, or because the dispute was lost.
 */
function disputeOf(
  snapshot: RefundSnapshot | DisputeSnapshot,
  reversals: readonly Reversal[],
): Reversal | undefined {
  if (snapshot.kind !== 'refund' || !snapshot.disputableAt) return undefined;
  const { amountMicros, disputableAt } = snapshot;
  const since = new Date(disputableAt.getTime() - SETTLED_MS);
  return reversals.find(
    (row) =>
      row.cause === 'dispute' &&
      (row.state === 'requested' || (row.state === 'final' && row.updatedAt > since)) &&
      amountMicros <= row.amountMicros,
  );
}

function reversedPayment(payment: Payment, rows: readonly Reversal[]) {
  const refunds = rows.filter((row) => row.cause === 'refund' && row.state === 'final');
  return {
    payment,
    refundedMicros: refunds.reduce((sum, { amountMicros }) => sum + amountMicros, 0n),
    isDisputed: rows.some((row) => row.cause === 'dispute' && row.state !== 'undone'),
  };
}
