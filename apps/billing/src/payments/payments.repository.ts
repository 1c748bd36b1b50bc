import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { ProcessorName } from '../processors/payment-processor.js';
import { Payment } from '../payment-records/payment.entity.js';
import { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import { Reversal } from '../payment-records/reversal.entity.js';
import type { SubscriptionPayment } from './subscription-payment.js';

@Injectable()
export class PaymentsRepository {
  /** @returns false if this payment is already stored. */
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

  async find(transaction: Transaction, accountId: string, id: string): Promise<Payment | null> {
    return transaction.manager.findOneBy(Payment, { accountId, id });
  }

  async findOfReversal(
    transaction: Transaction,
    accountId: string,
    reversalId: string,
  ): Promise<Payment | null> {
    return transaction.manager
      .createQueryBuilder(Payment, 'payment')
      .innerJoin(Reversal, 'reversal', 'reversal.paymentId = payment.id')
      .where('payment.accountId = :accountId and reversal.accountId = :accountId', { accountId })
      .andWhere('reversal.id = :reversalId', { reversalId })
      .getOne();
  }

  async list(transaction: Transaction, accountId: string, limit: number): Promise<Payment[]> {
    return transaction.manager
      .createQueryBuilder(Payment, 'payment')
      .where('payment.accountId = :accountId', { accountId })
      .orderBy('payment.id', 'DESC')
      .limit(limit)
      .getMany();
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
    at: Date | null,
  ): Promise<void> {
    await transaction.manager.update(Payment, { accountId, id }, { returnedAt: at });
  }

  async markUnwanted(
    transaction: Transaction,
    { accountId, id }: { accountId: string; id: string },
    now: Date,
  ): Promise<void> {
    await transaction.query(
      `update payments set is_unwanted = true
       where account_id = $1 and is_announced and not is_unwanted and id in (
         select payment_id from payment_lines where subscription_id = $2 and period_end > $3)`,
      [accountId, id, now],
    );
  }

  async hasFinalReversal(
    transaction: Transaction,
    accountId: string,
    processor: ProcessorName,
  ): Promise<boolean> {
    return transaction.manager.existsBy(Reversal, { accountId, processor, state: 'final' });
  }

  /**
   * Finds the account whose payment paid a bill; returns undefined if none is stored. Every renewal
   * runs this query several times.
   */
  async ownerOfBill(
    transaction: Transaction,
    processor: ProcessorName,
    billId: string,
  ): Promise<string | undefined> {
    const [payment] = await transaction.query<{ accountId: string }>(
      'select account_id as "accountId" from payments where processor = $1 and bill_id = $2',
      [processor, billId],
    );
    return payment?.accountId;
  }

  /**
   * Lists the paid lines of a subscription, oldest period first. Leaves out changes whose money is refunded because
   * they had no effect.
   */
  async listStretches(
    transaction: Transaction,
    accountId: string,
    subscriptionId: string,
  ): Promise<SubscriptionPayment[]> {
    return transaction.query<SubscriptionPayment>(
      `select l.payment_id as "paymentId", l.kind, l.sku, l.quantity, l.is_change as "isChange", l.starts_at as "startsAt", l.period_start as "periodStart",
         l.period_end as "periodEnd", least(p.amount_micros, p.amount_micros - p.carried_micros)::text as "paidMicros",
         coalesce(r.whole, 0)::text as "wholeMicros", coalesce(r.rest, 0)::text as "restMicros",
         r.kept_until as "keptUntil"
       from payment_lines l join payments p on p.id = l.payment_id
       left join lateral (
         select sum(amount_micros) filter (where scope = 'whole') as whole,
           sum(amount_micros) filter (where scope = 'remaining') as rest, min(starts_at) as kept_until
         from reversals where payment_id = p.id and state = 'final') r on true
       where l.account_id = $1 and l.subscription_id = $2 and (p.is_announced or not l.is_change)
       order by l.period_end, l.starts_at, l.is_change, l.id`,
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

  /** @returns false if the reversal's id is already in use. */
  async insertReversal(transaction: Transaction, reversal: Reversal): Promise<boolean> {
    const inserted = await transaction.manager
      .createQueryBuilder()
      .insert()
      .into(Reversal)
      .values(reversal)
      .orIgnore()
      .returning('id')
      .execute();
    return (inserted.raw as unknown[]).length > 0;
  }

  async putReversal(transaction: Transaction, reversal: Reversal): Promise<void> {
    await transaction.manager.save(Reversal, reversal);
  }
}
