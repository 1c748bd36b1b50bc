import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { Micros } from '#libs/platform';
import type { Payment } from '../payments/payment.entity.js';
import type { Reversal } from '../payments/reversal.entity.js';
import { Invoice } from './invoice.entity.js';

@Injectable()
export class InvoicesRepository {
  async insert(transaction: Transaction, invoice: Invoice): Promise<void> {
    await transaction.manager.insert(Invoice, invoice);
  }

  async find(transaction: Transaction, accountId: string, id: string): Promise<Invoice | null> {
    return transaction.manager.findOneBy(Invoice, { accountId, id });
  }

  async findOfPayment(
    transaction: Transaction,
    { accountId, id }: Payment,
  ): Promise<Invoice | null> {
    return transaction.manager.findOneBy(Invoice, { accountId, paymentId: id, kind: 'invoice' });
  }

  /** The newest first. */
  async list(transaction: Transaction, accountId: string, limit: number): Promise<Invoice[]> {
    return transaction.manager
      .createQueryBuilder(Invoice, 'invoice')
      .where('invoice.accountId = :accountId', { accountId })
      .orderBy('invoice.id', 'DESC')
      .limit(limit)
      .getMany();
  }

  /** Credit notes less debit notes of what was taken back. */
  async noted(transaction: Transaction, { accountId, id }: Reversal): Promise<Micros> {
    const [{ noted }] = await transaction.query<{ noted: string }>(
      `select coalesce(sum(case kind when 'credit_note' then total_micros else -total_micros end),
         0)::text as noted
       from invoices where account_id = $1 and reversal_id = $2`,
      [accountId, id],
    );
    return BigInt(noted);
  }
}
