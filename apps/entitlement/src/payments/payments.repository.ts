import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Transaction } from '#libs/database';
import { PaymentLine } from './payment-line.entity.js';
import { Reversal } from './reversal.entity.js';
import { ReversedLine } from './reversed-line.entity.js';

@Injectable()
export class PaymentsRepository {
  async insertLines(transaction: Transaction, lines: PaymentLine[]): Promise<void> {
    await transaction.manager.insert(PaymentLine, lines);
  }

  /** Lines that stand under any of these ids or belong to the payment, of whatever account. */
  async listAnnouncedLines(
    transaction: Transaction,
    paymentId: string,
    lineIds: string[],
  ): Promise<PaymentLine[]> {
    return transaction.manager.findBy(PaymentLine, [{ id: In(lineIds) }, { paymentId }]);
  }

  async listLines(transaction: Transaction, accountId: string): Promise<PaymentLine[]> {
    return transaction.manager.findBy(PaymentLine, { accountId });
  }

  /** @returns one of the subscriptions that is known to belong to another account. */
  async findForeignSubscription(
    transaction: Transaction,
    subscriptionIds: string[],
    accountId: string,
  ): Promise<string | undefined> {
    const [other] = await transaction.query<{ id: string }>(
      `select subscription_id as id from payment_lines
       where subscription_id = any($1) and account_id <> $2
       union all select id from subscriptions where id = any($1) and account_id <> $2 limit 1`,
      [subscriptionIds, accountId],
    );
    return other?.id;
  }

  async insertReversal(
    transaction: Transaction,
    reversal: Reversal,
    lines: ReversedLine[],
  ): Promise<void> {
    await transaction.manager.insert(Reversal, reversal);
    await transaction.manager.insert(ReversedLine, lines);
  }

  /** Both announcements of a reversal, as far as they were made. */
  async listAnnouncements(transaction: Transaction, id: string): Promise<Reversal[]> {
    return transaction.manager.findBy(Reversal, { id });
  }

  async listAnnouncedReversedLines(
    transaction: Transaction,
    { id: reversalId, phase }: Reversal,
  ): Promise<ReversedLine[]> {
    return transaction.manager.findBy(ReversedLine, { reversalId, phase });
  }

  /** What is taken back of an account's lines: final words instead of their requests, nothing undone. */
  async listReversedLines(transaction: Transaction, accountId: string): Promise<ReversedLine[]> {
    return transaction.manager
      .createQueryBuilder(ReversedLine, 'line')
      .where('line.accountId = :accountId', { accountId })
      .andWhere(
        `exists (select from counting_reversals c where c.reversal_id = line.reversal_id
           and c.phase = line.phase)`,
      )
      .getMany();
  }

  /** @returns the account the reversal was undone for, if it was. */
  async findUndone(transaction: Transaction, reversalId: string): Promise<string | undefined> {
    const [undone] = await transaction.query<{ account_id: string }>(
      'select account_id from undone_reversals where reversal_id = $1',
      [reversalId],
    );
    return undone?.account_id;
  }

  async insertUndone(
    transaction: Transaction,
    { reversalId, accountId, undoneAt }: { reversalId: string; accountId: string; undoneAt: Date },
  ): Promise<void> {
    await transaction.query(
      `insert into undone_reversals (reversal_id, account_id, undone_at) values ($1, $2, $3)
       on conflict do nothing`,
      [reversalId, accountId, undoneAt],
    );
  }
}
