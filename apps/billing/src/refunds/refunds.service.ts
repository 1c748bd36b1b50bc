import { Injectable } from '@nestjs/common';
import type { PaymentAnswer, RefundAnswer } from '#libs/contracts';
import { Database } from '#libs/database';
import {
  Clock,
  DAY_MS,
  HOUR_MS,
  InvalidRequest,
  type Micros,
  NotFound,
  crashPoint,
  newId,
} from '#libs/platform';
import { ProcessorUnavailable } from '../processors/processors.errors.js';
import type { Payment } from '../payments/payment.entity.js';
import { PaymentsService } from '../payments/payments.service.js';
import type { Reversal } from '../payments/reversal.entity.js';
import { ReversalsService } from '../payments/reversals.service.js';
import { leftOf, restOf } from './refund-amount.js';
import { RefundCallsService } from './refund-calls.service.js';
import { toPaymentAnswer, toRefundAnswer } from './refund-answer.js';
import type { RefundRequest } from './refunds.dto.js';
import { NothingToRefund, RefundRefused } from './refunds.errors.js';

type Wish = Pick<Reversal, 'id' | 'scope' | 'startsAt' | 'reason'> & { amountMicros?: Micros };

/** Between two attempts to give back what the processor refuses to take back: a balance may fill up meanwhile. */
export const RETURN_PAUSES_MS: readonly number[] = [HOUR_MS, 6 * HOUR_MS, DAY_MS, 3 * DAY_MS];

/** Money that is given back from here. */
@Injectable()
export class RefundsService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsService,
    private readonly reversals: ReversalsService,
    private readonly calls: RefundCallsService,
    private readonly clock: Clock,
  ) {}

  /** An account's payments with what was taken back of each, newest first. */
  async list(accountId: string): Promise<{ payments: PaymentAnswer[] }> {
    return this.database.transaction(async (transaction) => {
      const payments: PaymentAnswer[] = [];
      for (const payment of await this.payments.list(transaction, accountId)) {
        const lines = await this.payments.listLines(transaction, payment);
        const reversals = await this.payments.listReversals(transaction, payment);
        payments.push(toPaymentAnswer(payment, lines, reversals));
      }
      return { payments };
    });
  }

  /**
   * Refunds a payment, whole or its rest. A repeat with the same id brings about what the first left undone.
   * @throws NotFound, InvalidRequest, NothingToRefund, RefundRefused; ProcessorUnavailable while it is
   * not known whether it was made: it is settled later.
   */
  async refund(accountId: string, request: RefundRequest): Promise<RefundAnswer> {
    const { paymentId, refundId, scope, reason } = request;
    const payment = await this.find(accountId, paymentId);
    const from = request.from === undefined ? this.clock.now() : new Date(request.from);
    const startsAt = scope === 'remaining' ? from : null;
    const amountMicros = await this.amountOf(payment, request, startsAt);
    const wish = { id: refundId, scope, startsAt, reason, amountMicros };
    const begun = await this.database.transaction((transaction) =>
      this.reversals.begin(transaction, payment, (reversals) =>
        this.build(payment, wish, reversals),
      ),
    );
    crashPoint('refund.after-commit');
    if (begun.state === 'requested' && begun.externalId === null) {
      const outcome = await this.calls.settle(payment, begun);
      if (outcome.outcome === 'unknown') throw new ProcessorUnavailable(outcome.cause);
      if (outcome.outcome === 'refused' || !outcome.value) throw new RefundRefused(outcome);
    }
    return this.answer(payment, refundId);
  }

  /**
   * Gives back what is left of a payment that was never announced. What the processor refuses is asked for again
   * after each pause, as a refund of its own: the refusal of the last one would only be repeated under its key.
   * After the last pause the money is set aside for an operator.
   */
  async returnAll(payment: Payment, reason: string): Promise<void> {
    const begun = await this.database.transaction(async (transaction) => {
      const wish = { id: newId(), scope: 'whole', startsAt: null, reason } as const;
      // Another process may have made an attempt since the payment was listed.
      const next = await this.reversals.begin(transaction, payment, (reversals) =>
        stepOf(payment, reversals, this.clock.now()) === 'refund'
          ? this.build(payment, wish, reversals)
          : undefined,
      );
      if (next) return next;
      const reversals = await this.payments.listReversals(transaction, payment);
      const step = stepOf(payment, reversals, this.clock.now());
      if (step === 'end') await this.payments.markReturned(transaction, payment);
      return undefined;
    });
    crashPoint('refund.after-commit');
    if (begun) await this.calls.settle(payment, begun);
  }

  /** The row of a refund. @throws NothingToRefund. */
  private build(payment: Payment, wish: Wish, reversals: readonly Reversal[]): Reversal {
    const known = reversals.find(({ id }) => id === wish.id);
    if (known) return known;
    const left = leftOf(payment.amountMicros, reversals);
    const { amountMicros = left } = wish;
    if (left === 0n) throw new NothingToRefund('Nothing of this payment is left to refund.');
    if (amountMicros > left && wish.scope === 'whole') {
      throw new NothingToRefund('This payment has less left than this amount.');
    }
    const now = this.clock.now();
    return {
      ...wish,
      accountId: payment.accountId,
      paymentId: payment.id,
      processor: payment.processor,
      cause: 'refund',
      externalId: null,
      attempt: 1,
      state: 'requested',
      amountMicros: amountMicros < left ? amountMicros : left,
      createdAt: now,
      updatedAt: now,
    };
  }

  /** @returns undefined for all that is left. @throws InvalidRequest, NothingToRefund. */
  private async amountOf(
    payment: Payment,
    { scope, amountMicros, from }: RefundRequest,
    startsAt: Date | null,
  ): Promise<Micros | undefined> {
    const isWhole = scope === 'whole';
    if (isWhole ? from !== undefined : amountMicros !== undefined) {
      const field = isWhole ? 'from' : 'amountMicros';
      throw new InvalidRequest([{ field, message: `is not for a refund of scope ${scope}` }]);
    }
    if (startsAt === null) return amountMicros === undefined ? undefined : BigInt(amountMicros);
    const lines = await this.database.transaction((transaction) =>
      this.payments.listLines(transaction, payment),
    );
    const rest = restOf(lines, startsAt);
    if (!rest) throw new NothingToRefund('This payment paid for no time after that.');
    return rest;
  }

  private async answer(payment: Payment, refundId: string): Promise<RefundAnswer> {
    return this.database.transaction(async (transaction) => {
      const rows = await this.payments.listReversals(transaction, payment);
      const lines = await this.payments.listLines(transaction, payment);
      return toRefundAnswer(rows.find(({ id }) => id === refundId) as Reversal, rows, lines);
    });
  }

  private async find(accountId: string, paymentId: string): Promise<Payment> {
    const payment = await this.database.transaction((transaction) =>
      this.payments.findOwn(transaction, accountId, paymentId),
    );
    if (!payment) throw new NotFound();
    return payment;
  }
}

/** What is to be done now about a payment that is given back. */
function stepOf(
  { amountMicros }: Payment,
  reversals: readonly Reversal[],
  now: Date,
): 'wait' | 'refund' | 'end' {
  if (reversals.some(({ state }) => state === 'requested')) return 'wait';
  const failed = reversals.filter(({ cause, state }) => cause === 'refund' && state === 'undone');
  const isGivenBack = leftOf(amountMicros, reversals) === 0n;
  if (isGivenBack || failed.length > RETURN_PAUSES_MS.length) return 'end';
  const pauseMs = RETURN_PAUSES_MS[failed.length - 1] ?? 0;
  const isPausing = failed.some(({ updatedAt }) => updatedAt.getTime() + pauseMs > now.getTime());
  return isPausing ? 'wait' : 'refund';
}
