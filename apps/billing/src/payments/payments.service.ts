import { Injectable } from '@nestjs/common';
import { PaymentConfirmed, type PaymentLine, type PaymentLineKind } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Outbox } from '#libs/messaging';
import { Clock, type Micros, newId } from '#libs/platform';
import type { PaymentSnapshot, ProcessorName } from '../processors/payment-processor.js';
import type { Payment } from './payment.entity.js';
import type { StoredPaymentLine } from './payment-line.entity.js';
import { PaymentsRepository } from './payments.repository.js';

/** What a part of a payment is for. */
export interface PaidLine {
  kind: PaymentLineKind;
  sku: string;
  quantity: number;
  amountMicros: Micros;
  credits: bigint | null;
  tier: string | null;
}

export interface ConfirmedPayment {
  accountId: string;
  orderId: string | null;
  processor: ProcessorName;
  payment: PaymentSnapshot;
  catalogueVersion: string;
  lines: readonly PaidLine[];
}

/** Money that arrived, each payment once. */
@Injectable()
export class PaymentsService {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Stores a payment with its lines and announces it. A repeat changes nothing. */
  async confirm(transaction: Transaction, confirmed: ConfirmedPayment): Promise<void> {
    const { accountId, orderId, processor, payment: external, catalogueVersion } = confirmed;
    const payment: Payment = {
      id: newId(),
      accountId,
      orderId,
      processor,
      externalId: external.id,
      amountMicros: external.amountMicros,
      currency: external.currency,
      catalogueVersion,
      confirmedAt: this.clock.now(),
    };
    const lines = confirmed.lines.map((line) => storedLine(payment, line));
    if (!(await this.payments.insert(transaction, payment, lines))) return;
    const aggregate = `payment:${payment.id}`;
    const lock = await this.outbox.lock(transaction, { key: accountId, aggregate });
    await this.outbox.add(transaction, lock, PaymentConfirmed, {
      paymentId: payment.id,
      ...(orderId !== null && { orderId }),
      amountMicros: payment.amountMicros.toString(),
      currency: payment.currency,
      catalogueVersion,
      lines: lines.map((line) => announcedLine(line)),
    });
  }

  async find(
    transaction: Transaction,
    processor: ProcessorName,
    externalId: string,
  ): Promise<Payment | null> {
    return this.payments.findByExternalId(transaction, processor, externalId);
  }
}

function storedLine({ id, accountId }: Payment, line: PaidLine): StoredPaymentLine {
  const { kind, sku, quantity, amountMicros, credits, tier } = line;
  return {
    id: newId(),
    paymentId: id,
    accountId,
    kind,
    sku,
    quantity,
    amountMicros,
    credits,
    tier,
  };
}

/** The outbox checks each line by the class of its kind. */
function announcedLine(line: StoredPaymentLine): PaymentLine {
  return {
    lineId: line.id,
    kind: line.kind,
    sku: line.sku,
    quantity: line.quantity,
    amountMicros: line.amountMicros.toString(),
    ...(line.credits !== null && { credits: line.credits.toString() }),
    ...(line.tier !== null && { tier: line.tier }),
  } as PaymentLine;
}
