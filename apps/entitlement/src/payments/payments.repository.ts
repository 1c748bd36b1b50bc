import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { PaymentLine } from './payment-line.entity.js';
import { Reversal } from './reversal.entity.js';
import { ReversedLine } from './reversed-line.entity.js';

@Injectable()
export class PaymentsRepository {
  async insertLines(transaction: Transaction, lines: PaymentLine[]): Promise<void> {
    await transaction.manager.insert(PaymentLine, lines);
  }

  /** What is known under the ids of these lines or of their payment, of whatever account. */
  async listAnnouncedLines(transaction: Transaction, lines: PaymentLine[]): Promise<PaymentLine[]> {
    const [{ paymentId }] = lines;
    return transaction.manager
      .createQueryBuilder(PaymentLine, 'line')
      .where('line.id in (:...ids)', { ids: lines.map(({ id }) => id) })
      .orWhere('line.paymentId = :paymentId', { paymentId })
      .getMany();
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
  async listAnnouncements(
    transaction: Transaction,
    accountId: string,
    id: string,
  ): Promise<Reversal[]> {
    return transaction.manager.findBy(Reversal, { accountId, id });
  }

  async listAnnouncedLinesOf(
    transaction: Transaction,
    { accountId, id: reversalId, phase }: Reversal,
  ): Promise<ReversedLine[]> {
    return transaction.manager.findBy(ReversedLine, { accountId, reversalId, phase });
  }

  /** Whether a reversal was announced or undone for another account. */
  async isForeignReversal(
    transaction: Transaction,
    accountId: string,
    reversalId: string,
  ): Promise<boolean> {
    const found = await transaction.query(
      `select from reversals where reversal_id = $1 and account_id <> $2
       union all select from undone_reversals where reversal_id = $1 and account_id <> $2 limit 1`,
      [reversalId, accountId],
    );
    return found.length > 0;
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
