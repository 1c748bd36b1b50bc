import { Injectable } from '@nestjs/common';
import {
  type BillingInterval,
  PaymentConfirmed,
  type PaymentLine,
  type PaymentLineKind,
} from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Outbox } from '#libs/messaging';
import { AccountStatesService } from '../account-states/account-states.service.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { Clock, type Micros, newId } from '#libs/platform';
import { grossOf } from '../pricing/purchased-line.entity.js';
import type { PaymentSnapshot, ProcessorName } from '../processors/payment-processor.js';
import type { Payment } from '../payment-records/payment.entity.js';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import { PaymentsRepository } from './payments.repository.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import type { SubscriptionPayment } from './subscription-payment.js';

const PAYMENTS_MAX = 500;

export interface PaidLine {
  kind: PaymentLineKind;
  sku: string;
  quantity: number;
  /** Without tax. */
  amountMicros: Micros;
  taxMicros: Micros;
  taxPpm: number;
  credits: bigint | null;
  tier: string | null;
  /** The part of a subscription's time that the line paid for; undefined for other lines. */
  stretch?: PaidStretch;
}

/** The part of a subscription's time that a line paid for, and the rights that the line adds for that time. */
export interface PaidStretch {
  subscriptionId: string;
  interval: BillingInterval;
  periodStart: Date;
  periodEnd: Date;
  from: Date;
  /** The monthly credits; null for lines without credits. */
  monthlyCredits: bigint | null;
  isChange: boolean;
}

export interface ConfirmedPayment {
  accountId: string;
  orderId: string | null;
  processor: ProcessorName;
  payment: Pick<PaymentSnapshot, 'id' | 'amountMicros' | 'currency'>;
  billId: string | null;
  catalogueVersion: string;
  lines: readonly PaidLine[];
  /**
   * Whether the money is kept if the account is active. False for a duplicate, or for a payment that arrived too late
   * for its change; such money is refunded.
   */
  isAnnounced: boolean;
}

@Injectable()
export class PaymentsService {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly accounts: AccountStatesService,
    private readonly invoices: InvoicesService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a payment with its lines and issues its invoice. Announces the payment, unless the money is refunded
   * (because of a duplicate, a late change or a deleted account). A repeated call changes nothing.
   * @returns false if the payment is already stored for something else.
   */
  async confirm(transaction: Transaction, confirmed: ConfirmedPayment): Promise<boolean> {
    const { accountId, orderId, processor, payment: external, catalogueVersion } = confirmed;
    const isActive = await this.accounts.isActive(transaction, accountId);
    const isAnnounced = isActive && confirmed.isAnnounced;
    const payment: Payment = {
      id: newId(),
      accountId,
      orderId,
      processor,
      externalId: external.id,
      billId: confirmed.billId,
      amountMicros: external.amountMicros,
      carriedMicros: external.amountMicros - grossOfAll(confirmed.lines),
      currency: external.currency,
      catalogueVersion,
      isAnnounced,
      isUnwanted: false,
      returnedAt: null,
      confirmedAt: this.clock.now(),
    };
    const lines = confirmed.lines.map((line) => storedLine(payment, line));
    if (!(await this.payments.insert(transaction, payment, lines))) {
      const known = await this.find(transaction, processor, external.id);
      return (
        known?.accountId === accountId &&
        known.orderId === orderId &&
        known.billId === payment.billId
      );
    }
    this.invoices.issue(transaction, payment, lines);
    if (isAnnounced) await this.announce(transaction, payment, lines);
    return true;
  }

  /**
   * Publishes a payment again with the same data, if it was published before. Consumers that have applied the payment
   * ignore the repeat.
   */
  async announceAgain(transaction: Transaction, payment: Payment): Promise<void> {
    if (!payment.isAnnounced) return;
    await this.announce(transaction, payment, await this.payments.listLines(transaction, payment));
  }

  private async announce(
    transaction: Transaction,
    payment: Payment,
    lines: readonly StoredPaymentLine[],
  ): Promise<void> {
    const { id, accountId: key, orderId } = payment;
    const lock = await this.outbox.lock(transaction, { key, aggregate: `payment:${id}` });
    await this.outbox.add(transaction, lock, PaymentConfirmed, {
      paymentId: id,
      ...(orderId !== null && { orderId }),
      amountMicros: payment.amountMicros.toString(),
      currency: payment.currency,
      catalogueVersion: payment.catalogueVersion,
      lines: lines.map((line) => announcedLine(line)),
    });
  }

  /** Whether any payment of the account through this processor has a final reversal. */
  async wasReversed(
    transaction: Transaction,
    accountId: string,
    processor: ProcessorName,
  ): Promise<boolean> {
    return this.payments.hasFinalReversal(transaction, accountId, processor);
  }

  async ownerOfBill(
    transaction: Transaction,
    processor: ProcessorName,
    billId: string,
  ): Promise<string | undefined> {
    return this.payments.ownerOfBill(transaction, processor, billId);
  }

  /** Lists the paid lines of a subscription, with the amount of each payment's final reversals. */
  async listStretches(
    transaction: Transaction,
    accountId: string,
    subscriptionId: string,
  ): Promise<SubscriptionPayment[]> {
    return this.payments.listStretches(transaction, accountId, subscriptionId);
  }

  async listLines(transaction: Transaction, payment: Payment): Promise<StoredPaymentLine[]> {
    return this.payments.listLines(transaction, payment);
  }

  async listReversals(transaction: Transaction, payment: Payment): Promise<Reversal[]> {
    return this.payments.listReversals(transaction, payment);
  }

  /** Lists the latest payments of an account, at most `PAYMENTS_MAX`, newest first. */
  async list(transaction: Transaction, accountId: string): Promise<Payment[]> {
    return this.payments.list(transaction, accountId, PAYMENTS_MAX);
  }

  async findOwn(transaction: Transaction, accountId: string, id: string): Promise<Payment | null> {
    return this.payments.find(transaction, accountId, id);
  }

  async findOfReversal(
    transaction: Transaction,
    accountId: string,
    reversalId: string,
  ): Promise<Payment | null> {
    return this.payments.findOfReversal(transaction, accountId, reversalId);
  }

  /** Records that the refund of this unwanted payment has begun. */
  async markReturned(transaction: Transaction, payment: Payment): Promise<void> {
    await this.payments.markReturned(transaction, payment, this.clock.now());
  }

  /**
   * Marks the announced payments for the unfinished periods of a second subscription as unwanted, so that they are
   * refunded.
   */
  async unwant(
    transaction: Transaction,
    { accountId, id }: { accountId: string; id: string },
  ): Promise<void> {
    await this.payments.markUnwanted(transaction, { accountId, id }, this.clock.now());
  }

  async find(
    transaction: Transaction,
    processor: ProcessorName,
    externalId: string,
  ): Promise<Payment | null> {
    return this.payments.findByExternalId(transaction, processor, externalId);
  }
}

const grossOfAll = (lines: readonly PaidLine[]): Micros =>
  lines.reduce((sum, line) => sum + grossOf(line), 0n);

function storedLine({ id, accountId }: Payment, line: PaidLine): StoredPaymentLine {
  const { stretch, ...paid } = line;
  return {
    id: newId(),
    paymentId: id,
    accountId,
    kind: paid.kind,
    sku: paid.sku,
    quantity: paid.quantity,
    amountMicros: paid.amountMicros,
    taxMicros: paid.taxMicros,
    taxPpm: paid.taxPpm,
    credits: paid.credits,
    tier: paid.tier,
    subscriptionId: stretch?.subscriptionId ?? null,
    interval: stretch?.interval ?? null,
    periodStart: stretch?.periodStart ?? null,
    periodEnd: stretch?.periodEnd ?? null,
    startsAt: stretch?.from ?? null,
    monthlyCredits: stretch?.monthlyCredits ?? null,
    isChange: stretch?.isChange ?? false,
  };
}

/** Converts a line to its published form. The outbox validates each line against the class for its kind. */
function announcedLine(line: StoredPaymentLine): PaymentLine {
  return {
    lineId: line.id,
    kind: line.kind,
    sku: line.sku,
    quantity: line.quantity,
    amountMicros: line.amountMicros.toString(),
    ...(line.credits !== null && { credits: line.credits.toString() }),
    ...(line.tier !== null && { tier: line.tier }),
    ...(line.monthlyCredits !== null && {
      subscriptionId: line.subscriptionId,
      interval: line.interval,
      periodStart: line.periodStart?.toISOString(),
      periodEnd: line.periodEnd?.toISOString(),
      from: line.startsAt?.toISOString(),
      monthlyCredits: line.monthlyCredits.toString(),
    }),
  } as PaymentLine;
}
