import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type {
  PaymentConfirmed,
  PaymentLine as AnnouncedLine,
  PaymentReversed,
} from '#libs/contracts';
import { StatementBatch, type Transaction } from '#libs/database';
import { PaymentLine } from './payment-line.entity.js';
import { AnnouncedOtherwise } from './payments.errors.js';
import { PaymentsRepository, type SubscriptionClaim } from './payments.repository.js';
import { Reversal } from './reversal.entity.js';
import { ReversedLine } from './reversed-line.entity.js';

/**
 * Stores what billing announces about money: lines of payments and their reversals, in any order of arrival. The caller
 * must have locked the account.
 */
@Injectable()
export class PaymentsService {
  // The payments of several accounts in one batch of events are looked up and stored together.
  private readonly announced = new StatementBatch<PaymentLine[], PaymentLine[]>(
    async (transaction, payments) => {
      const known = await this.repository.listAnnouncedLines(transaction, payments.flat());
      return payments.map((lines) => known.filter((one) => lines.some((line) => isOf(one, line))));
    },
  );
  private readonly foreign = new StatementBatch<SubscriptionClaim[], string | undefined>(
    async (transaction, claims) => {
      const found = await this.repository.listForeignSubscriptions(transaction, claims.flat());
      const isForeign = (claim: SubscriptionClaim) =>
        found.some((one) => isDeepStrictEqual(one, claim));
      return claims.map((own) => own.find(isForeign)?.subscriptionId);
    },
  );
  private readonly added = new StatementBatch<PaymentLine[], void>(
    async (transaction, payments) => {
      await this.repository.insertLines(transaction, payments.flat());
      return [];
    },
  );

  constructor(private readonly repository: PaymentsRepository) {}

  /**
   * Stores a payment's lines. A repeat stores nothing.
   * @param heardAt the time of the account's book; with a later time, the line would not be due in that book yet.
   * @returns the new lines.
   * @throws AnnouncedOtherwise if a line or the payment is known with different content, or a subscription for another
   *   account.
   */
  async recordPayment(
    transaction: Transaction,
    accountId: string,
    payment: PaymentConfirmed,
    heardAt: Date,
  ): Promise<PaymentLine[]> {
    const lines = payment.lines.map((line) => toPaymentLine(line, payment, accountId, heardAt));
    const claims = lines.flatMap(({ subscriptionId }) => {
      return subscriptionId === null ? [] : { subscriptionId, accountId };
    });
    const [known, other] = await Promise.all([
      this.announced.add(transaction, lines),
      claims.length > 0 ? this.foreign.add(transaction, claims) : undefined,
    ]);
    if (known.length > 0) {
      if (!haveSameContent(known.map(contentOf), lines.map(contentOf))) {
        throw new AnnouncedOtherwise('payment', payment.paymentId);
      }
      return [];
    }
    if (other !== undefined) throw new AnnouncedOtherwise('subscription', other);
    await this.added.add(transaction, lines);
    return lines;
  }

  /**
   * Stores a refund or dispute. A repeat stores nothing.
   * @throws AnnouncedOtherwise if the reversal is known for another account or payment or with another cause, or if
   *   this phase of it is known with different lines.
   */
  async recordReversal(
    transaction: Transaction,
    accountId: string,
    event: PaymentReversed,
  ): Promise<void> {
    const { reversalId: id, phase, paymentId, cause } = event;
    const reversal: Reversal = { id, phase, accountId, paymentId, cause };
    const lines = event.lines.map((line) => toReversedLine(line, event, accountId));
    await this.refuseForeign(transaction, accountId, id);
    const known = await this.repository.listAnnouncements(transaction, accountId, id);
    if (known.some((one) => !isDeepStrictEqual({ ...one, phase }, reversal))) {
      throw new AnnouncedOtherwise('reversal', id);
    }
    const same = known.find((one) => one.phase === phase);
    if (!same) return this.repository.insertReversal(transaction, reversal, lines);
    const stored = await this.repository.listAnnouncedLinesOf(transaction, same);
    if (!haveSameContent(stored, lines)) throw new AnnouncedOtherwise('reversal', id);
  }

  /**
   * Records that a reversal no longer applies, even if the reversal has not arrived yet.
   * @throws AnnouncedOtherwise if the reversal is known for another account.
   */
  async recordUndone(
    transaction: Transaction,
    accountId: string,
    reversalId: string,
    undoneAt: Date,
  ): Promise<void> {
    await this.refuseForeign(transaction, accountId, reversalId);
    await this.repository.insertUndone(transaction, { reversalId, accountId, undoneAt });
  }

  async listLines(transaction: Transaction, accountIds: string[]): Promise<PaymentLine[]> {
    return this.repository.listLines(transaction, accountIds);
  }

  /** Lists the reversals that currently apply to the accounts' lines. */
  async listReversedLines(transaction: Transaction, accountIds: string[]): Promise<ReversedLine[]> {
    return this.repository.listReversedLines(transaction, accountIds);
  }

  /** @returns the subscription's id if the subscription is known to belong to another account. */
  async findForeignSubscription(
    transaction: Transaction,
    accountId: string,
    subscriptionId: string,
  ): Promise<string | undefined> {
    return this.foreign.add(transaction, [{ subscriptionId, accountId }]);
  }

  private async refuseForeign(
    transaction: Transaction,
    accountId: string,
    reversalId: string,
  ): Promise<void> {
    if (await this.repository.isForeignReversal(transaction, accountId, reversalId)) {
      throw new AnnouncedOtherwise('reversal', reversalId);
    }
  }
}

function toPaymentLine(
  line: AnnouncedLine,
  { paymentId, orderId }: PaymentConfirmed,
  accountId: string,
  heardAt: Date,
): PaymentLine {
  const { lineId: id, kind, sku, quantity, amountMicros } = line;
  return {
    id,
    paymentId,
    orderId: orderId ?? null,
    accountId,
    kind,
    sku,
    quantity,
    amountMicros: withoutZeros(amountMicros),
    credits: null,
    tier: null,
    subscriptionId: null,
    interval: null,
    periodStart: null,
    periodEnd: null,
    from: null,
    monthlyCredits: null,
    heardAt,
    ...partsOf(line),
  };
}

function partsOf(line: AnnouncedLine): Partial<PaymentLine> {
  if (line.kind === 'package') return { credits: line.credits, tier: line.tier ?? null };
  if (line.kind !== 'subscription' && line.kind !== 'subscription_upgrade') return {};
  const { subscriptionId, interval, periodStart, periodEnd, from, monthlyCredits } = line;
  return {
    subscriptionId,
    interval,
    periodStart: new Date(periodStart),
    periodEnd: new Date(periodEnd),
    from: new Date(from),
    monthlyCredits,
  };
}

function toReversedLine(
  line: PaymentReversed['lines'][number],
  { reversalId, phase }: PaymentReversed,
  accountId: string,
): ReversedLine {
  const { lineId, refundedMicros, paidMicros, scope } = line;
  return {
    reversalId,
    phase,
    lineId,
    accountId,
    refundedMicros: withoutZeros(refundedMicros),
    paidMicros: withoutZeros(paidMicros),
    scope,
    from: scope === 'remaining' ? new Date(line.from) : null,
  };
}

function isOf(one: PaymentLine, other: PaymentLine): boolean {
  return one.id === other.id || one.paymentId === other.paymentId;
}

/** Returns the text that PostgreSQL returns for the same bigint. */
function withoutZeros(decimal: string): string {
  return String(BigInt(decimal));
}

function contentOf(line: PaymentLine): object {
  return { ...line, heardAt: undefined };
}

/** Whether the contents are equal, whatever their order. */
function haveSameContent(stored: object[], announced: object[]): boolean {
  const texts = (rows: object[]) =>
    rows.map((row) => JSON.stringify(Object.entries(row).toSorted())).toSorted();
  return isDeepStrictEqual(texts(stored), texts(announced));
}
