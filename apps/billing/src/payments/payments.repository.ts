import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase, type Transaction } from '#libs/database';
import type { ProcessorName } from '../processors/payment-processor.js';
import { Payment } from './payment.entity.js';
import { StoredPaymentLine } from './payment-line.entity.js';
import { Reversal } from './reversal.entity.js';
import type { SubscriptionPayment } from './subscription-payment.js';

@Injectable()
export class PaymentsRepository {
  /** False when this payment of the processor is stored already. */
  async insert(
    transaction: Transaction,
    payment: Payment,
    lines: StoredPaymentLine[],
  ): Promise<boolean> {
    const inserted = await transaction.manager
      .createQueryBuilder()
      .insert()
      .into(Payment)
      .values(payment)
      .orIgnore()
      .returning('id')
      .execute();
    if ((inserted.raw as unknown[]).length === 0) return false;
    await transaction.manager.insert(StoredPaymentLine, lines);
    return true;
  }

  async findByExternalId(
    transaction: Transaction,
    processor: ProcessorName,
    externalId: string,
  ): Promise<Payment | null> {
    return transaction.manager.findOneBy(Payment, { processor, externalId });
  }

  async listLines(
    transaction: Transaction,
    { accountId, id }: Payment,
  ): Promise<StoredPaymentLine[]> {
    return transaction.manager
      .createQueryBuilder(StoredPaymentLine, 'line')
      .where('line.accountId = :accountId and line.paymentId = :id', { accountId, id })
      .orderBy('line.id')
      .getMany();
  }

  async markReturned(
    transaction: Transaction,
    { accountId, id }: Payment,
    at: Date,
  ): Promise<void> {
    await transaction.manager.update(Payment, { accountId, id }, { returnedAt: at });
  }

  async hasPackage(transaction: Transaction, accountId: string): Promise<boolean> {
    return transaction.manager.existsBy(StoredPaymentLine, { accountId, kind: 'package' });
  }

  async hasBill(
    transaction: Transaction,
    processor: ProcessorName,
    billId: string,
  ): Promise<boolean> {
    return transaction.manager.existsBy(Payment, { processor, billId });
  }

  /** Oldest period first. */
  async listStretches(
    transaction: Transaction,
    accountId: string,
    subscriptionId: string,
  ): Promise<SubscriptionPayment[]> {
    return transaction.query<SubscriptionPayment>(
      `select l.period_start as "periodStart", l.period_end as "periodEnd", l.kind,
         p.external_id as "externalId", p.id as "paymentId", p.amount_micros::text as "paidMicros",
         coalesce((select sum(r.amount_micros) from reversals r
           where r.payment_id = p.id and r.state = 'final'), 0)::text as "reversedMicros"
       from payment_lines l join payments p on p.id = l.payment_id
       where l.account_id = $1 and l.subscription_id = $2 order by l.period_end, l.id`,
      [accountId, subscriptionId],
    );
  }

  async listReversals(transaction: Transaction, { accountId, id }: Payment): Promise<Reversal[]> {
    return transaction.manager
      .createQueryBuilder(Reversal, 'reversal')
      .where('reversal.accountId = :accountId and reversal.paymentId = :id', { accountId, id })
      .orderBy('reversal.id')
      .getMany();
  }

  async putReversal(transaction: Transaction, reversal: Reversal): Promise<void> {
    await transaction.manager.save(Reversal, reversal);
  }
}

/** Payments of every account. */
@Injectable()
export class PaymentsMaintenanceRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /** Money that nobody heard of and that was not given back yet, oldest first. */
  async listToReturn(limit: number): Promise<Payment[]> {
    return this.maintenance.transaction((transaction) =>
      transaction.manager
        .createQueryBuilder(Payment, 'payment')
        .where('not payment.isAnnounced and payment.returnedAt is null')
        .orderBy('payment.confirmedAt')
        .limit(limit)
        .getMany(),
    );
  }
}
