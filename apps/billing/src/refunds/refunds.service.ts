import { Injectable } from '@nestjs/common';
import type { PaymentAnswer, RefundAnswer } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import {
  Clock,
  InvalidRequest,
  type Micros,
  NotFound,
  crashPoint,
  isId,
  newId,
} from '#libs/platform';
import { ProcessorUnavailable } from '../processors/processors.errors.js';
import type { Payment } from '../payment-records/payment.entity.js';
import { PaymentsService } from '../payments/payments.service.js';
import { isFailedRefund, isUnconfirmed } from '../payments/failed-refund.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import { ReversalsService } from '../payments/reversals.service.js';
import { leftOf, restOf, restRefunded } from './refund-amount.js';
import { RefundCallsService } from './refund-calls.service.js';
import { type PaidItems, toPaymentAnswer, toRefundAnswer } from './refund-answer.js';
import type { RefundRequest } from './refunds.dto.js';
import { NothingToRefund, RefundRefused } from './refunds.errors.js';

type Wish = Pick<Reversal, 'id' | 'scope' | 'startsAt' | 'reason'> & {
  amountMicros?: Micros;
  again?: Reversal;
};

const NOTHING_LEFT = 'Nothing of this payment is left to refund.';
const NOT_CONFIRMED =
  'The processor has not confirmed this refund, which may still be made. It can be dismissed from';
const NOT_FAILED = 'This refund has not failed, was replaced by another refund, or was dismissed.';

@Injectable()
export class RefundsService {
  constructor(
    private readonly database: Database,
    private readonly payments: PaymentsService,
    private readonly reversals: ReversalsService,
    private readonly calls: RefundCallsService,
    private readonly clock: Clock,
  ) {}

  /** Lists an account's latest payments with their reversals, newest first. */
  async list(accountId: string): Promise<{ payments: PaymentAnswer[] }> {
    return this.database.transaction(async (transaction) => {
      const payments: PaymentAnswer[] = [];
      for (const payment of await this.payments.list(transaction, accountId)) {
        const items = await this.itemsOf(transaction, payment);
        const reversals = await this.payments.listReversals(transaction, payment);
        payments.push(toPaymentAnswer(payment, items, reversals));
      }
      return { payments };
    });
  }

  /**
   * Refunds a payment, completely, in part or for its remaining time. A repeat with the same id completes unfinished
   * steps.
   * @throws NotFound, InvalidRequest, NothingToRefund, RefundRefused, IdempotencyKeyReused; ProcessorUnavailable while
   *   it is unknown whether the refund was made, which is settled later.
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
    return this.made(payment, begun);
  }

  /**
   * Retries a failed refund now, as a separate refund with its own key, because under the old key the processor would
   * only repeat its refusal.
   * @throws NotFound, NothingToRefund, RefundRefused, ProcessorUnavailable.
   */
  async retry(accountId: string, refundId: string): Promise<RefundAnswer> {
    const payment = await this.findOfRefund(accountId, refundId);
    const begun = await this.beginAgain(payment, (failed) => failed.id === refundId);
    if (!begun) throw new NothingToRefund(NOT_FAILED);
    return this.made(payment, begun);
  }

  /**
   * Retries a refund whose pause is over, unless it was closed after it was listed.
   * @throws NothingToRefund while pending reversals cover the whole payment.
   */
  async retryDue(payment: Payment, refundId: string): Promise<void> {
    const now = this.clock.now();
    const begun = await this.beginAgain(
      payment,
      ({ id, retryAt }) => id === refundId && retryAt !== null && retryAt <= now,
    );
    crashPoint('refund.after-commit');
    if (begun) await this.calls.settle(payment, begun);
  }

  /**
   * Closes a refund without another attempt: one that failed, or one that the processor has not confirmed for hours.
   * @throws NotFound, NothingToRefund.
   */
  async dismiss(accountId: string, refundId: string): Promise<RefundAnswer> {
    const payment = await this.findOfRefund(accountId, refundId);
    const isDismissed = await this.database.transaction(async (transaction) => {
      const reversals = await this.payments.listReversals(transaction, payment);
      const meant = reversals.find(({ id }) => id === refundId);
      const from = meant && isUnconfirmed(meant) && this.calls.dismissibleFrom(payment, meant);
      if (from) throw new NothingToRefund(`${NOT_CONFIRMED} ${from.toISOString()} on.`);
      return this.reversals.dismiss(transaction, payment, refundId);
    });
    if (!isDismissed) throw new NothingToRefund(NOT_FAILED);
    return this.answer(payment, refundId);
  }

  /** Refunds the rest of an unwanted payment, once. If a refund of it has failed before, only `retryDue` retries it. */
  async returnAll(payment: Payment, reason: string): Promise<void> {
    const begun = await this.database.transaction(async (transaction) => {
      const wish = { id: newId(), scope: 'whole', startsAt: null, reason } as const;
      // Another process may have made an attempt since the payment was listed.
      const next = await this.reversals.begin(transaction, payment, (reversals) =>
        leftOf(payment.amountMicros, reversals) === 0n || reversals.some(isFailedRefund)
          ? undefined
          : this.build(payment, wish, reversals),
      );
      await this.payments.markReturned(transaction, payment);
      return next;
    });
    crashPoint('refund.after-commit');
    if (begun) await this.calls.settle(payment, begun);
  }

  private async beginAgain(
    payment: Payment,
    isMeant: (failed: Reversal) => boolean,
  ): Promise<Reversal | undefined> {
    return this.database.transaction(async (transaction) => {
      const reversals = await this.payments.listReversals(transaction, payment);
      const meant = reversals.find((row) => isFailedRefund(row) && isMeant(row));
      if (meant && leftOf(payment.amountMicros, reversals) === 0n) {
        const made = reversals.filter(({ state }) => state === 'final');
        // If the other reversal may still fail, like an open dispute, the refund waits for its result.
        if (leftOf(payment.amountMicros, made) > 0n) throw new NothingToRefund(NOTHING_LEFT);
        // The money was returned in another way.
        await this.reversals.dismiss(transaction, payment, meant.id);
        return undefined;
      }
      return this.reversals.begin(transaction, payment, (rows) => {
        const again = rows.find((row) => isFailedRefund(row) && isMeant(row));
        const { scope, startsAt, reason, amountMicros } = again ?? ({} as Reversal);
        const wish = { id: newId(), scope, startsAt, reason, amountMicros, again };
        return again && this.build(payment, wish, rows);
      });
    });
  }

  private async made(payment: Payment, begun: Reversal): Promise<RefundAnswer> {
    crashPoint('refund.after-commit');
    if (isUnconfirmed(begun)) {
      const outcome = await this.calls.settle(payment, begun);
      if (outcome.outcome === 'unknown') throw new ProcessorUnavailable(outcome.cause);
      if (outcome.outcome === 'refused' || !outcome.value) throw new RefundRefused(outcome);
    }
    return this.answer(payment, begun.id);
  }

  /**
   * Returns the row of a refund: the stored one with its id, or else a new one.
   * @throws NothingToRefund.
   */
  private build(payment: Payment, wish: Wish, reversals: readonly Reversal[]): Reversal {
    const known = reversals.find(({ id }) => id === wish.id);
    if (known) return known;
    const left = leftOf(payment.amountMicros, reversals);
    const { amountMicros: wanted = left, again, ...wished } = wish;
    // The same time is refunded once, even if the request is repeated under another id.
    const isRest = wish.scope === 'remaining' && !again;
    const amountMicros = isRest ? wanted - restRefunded(reversals) : wanted;
    if (left === 0n) throw new NothingToRefund(NOTHING_LEFT);
    if (amountMicros > left && wish.scope === 'whole' && !again) {
      throw new NothingToRefund('This amount exceeds what can still be refunded.');
    }
    if (amountMicros <= 0n) {
      throw new NothingToRefund('The time after this date is already refunded.');
    }
    const now = this.clock.now();
    return {
      ...wished,
      accountId: payment.accountId,
      paymentId: payment.id,
      processor: payment.processor,
      cause: 'refund',
      externalId: null,
      attempt: (again?.attempt ?? 0) + 1,
      state: 'requested',
      retryOf: again?.id ?? null,
      retryAt: null,
      closedAt: null,
      amountMicros: amountMicros < left ? amountMicros : left,
      createdAt: now,
      updatedAt: now,
    };
  }

  /**
   * Checks the amount of a refund. @returns the amount; undefined for all that is left.
   * @throws InvalidRequest, NothingToRefund.
   */
  private async amountOf(
    payment: Payment,
    { refundId, scope, amountMicros, from }: RefundRequest,
    startsAt: Date | null,
  ): Promise<Micros | undefined> {
    const isWhole = scope === 'whole';
    if (isWhole ? from !== undefined : amountMicros !== undefined) {
      const field = isWhole ? 'from' : 'amountMicros';
      throw new InvalidRequest([{ field, message: `is not for a refund of scope ${scope}` }]);
    }
    if (startsAt === null) return amountMicros === undefined ? undefined : BigInt(amountMicros);
    const { lines, reversals } = await this.database.transaction(async (transaction) => ({
      lines: await this.payments.listLines(transaction, payment),
      reversals: await this.payments.listReversals(transaction, payment),
    }));
    // A repeat gets the stored refund, even if the refunded time has passed since.
    if (reversals.some(({ id }) => id === refundId)) return undefined;
    const rest = restOf(payment.amountMicros, lines, startsAt);
    if (!rest) throw new NothingToRefund('This payment does not cover any time after this date.');
    return rest;
  }

  private async answer(payment: Payment, refundId: string): Promise<RefundAnswer> {
    return this.database.transaction(async (transaction) => {
      const rows = await this.payments.listReversals(transaction, payment);
      const row = rows.find(({ id }) => id === refundId) as Reversal;
      return toRefundAnswer(payment, row, rows, await this.itemsOf(transaction, payment));
    });
  }

  private async itemsOf(transaction: Transaction, payment: Payment): Promise<PaidItems> {
    const lines = await this.payments.listLines(transaction, payment);
    const id = lines.find(({ subscriptionId }) => subscriptionId !== null)?.subscriptionId;
    const { accountId } = payment;
    const stretches = id ? await this.payments.listStretches(transaction, accountId, id) : [];
    return { lines, stretches };
  }

  private async find(accountId: string, paymentId: string): Promise<Payment> {
    const payment = await this.database.transaction((transaction) =>
      this.payments.findOwn(transaction, accountId, paymentId),
    );
    if (!payment) throw new NotFound();
    return payment;
  }

  private async findOfRefund(accountId: string, refundId: string): Promise<Payment> {
    if (!isId(refundId)) throw new NotFound();
    const payment = await this.database.transaction((transaction) =>
      this.payments.findOfReversal(transaction, accountId, refundId),
    );
    if (!payment) throw new NotFound();
    return payment;
  }
}
