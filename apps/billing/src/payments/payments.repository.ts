import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { ProcessorName } from '../processors/payment-processor.js';
import { Payment } from './payment.entity.js';
import { StoredPaymentLine } from './payment-line.entity.js';
import { Reversal } from './reversal.entity.js';

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
