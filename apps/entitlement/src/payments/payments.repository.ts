import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Transaction } from '#libs/database';
import { PaymentLine } from './payment-line.entity.js';
import { Reversal } from './reversal.entity.js';
import { ReversedLine } from './reversed-line.entity.js';

export interface SubscriptionClaim {
  subscriptionId: string;
  accountId: string;
}

@Injectable()
export class PaymentsRepository {
  async insertLines(transaction: Transaction, lines: PaymentLine[]): Promise<void> {
    await transaction.manager.insert(PaymentLine, lines);
  }

  /** Lists the known lines of any account that have these ids or belong to these payments. */
  async listAnnouncedLines(transaction: Transaction, lines: PaymentLine[]): Promise<PaymentLine[]> {
    const paymentIds = new Set(lines.map(({ paymentId }) => paymentId));
    return transaction.manager
      .createQueryBuilder(PaymentLine, 'line')
      .where('line.id in (:...ids)', { ids: lines.map(({ id }) => id) })
      .orWhere('line.paymentId in (:...paymentIds)', { paymentIds: [...paymentIds] })
      .getMany();
  }

  async listLines(transaction: Transaction, accountIds: string[]): Promise<PaymentLine[]> {
    return transaction.manager.findBy(PaymentLine, { accountId: In(accountIds) });
  }

  /** @returns the subscriptions that are known to belong to another account. */
  async listForeignSubscriptions(
    transaction: Transaction,
    claims: SubscriptionClaim[],
  ): Promise<SubscriptionClaim[]> {
    return transaction.query<SubscriptionClaim>(FOREIGN_SUBSCRIPTIONS, [
      claims.map(({ subscriptionId }) => subscriptionId),
      claims.map(({ accountId }) => accountId),
    ]);
  }

  async insertReversal(
    transaction: Transaction,
    reversal: Reversal,
    lines: ReversedLine[],
  ): Promise<void> {
    await transaction.manager.insert(Reversal, reversal);
    await transaction.manager.insert(ReversedLine, lines);
  }

  /** Lists the announcements of a reversal that have arrived: the request, the final state or both. */
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

  /** Whether a reversal for another account was announced or undone under this id. */
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

  /**
   * Lists the reversals that currently apply to the accounts' lines. A final reversal replaces its request; undone
   * reversals are omitted.
   */
  async listReversedLines(transaction: Transaction, accountIds: string[]): Promise<ReversedLine[]> {
    return transaction.manager
      .createQueryBuilder(ReversedLine, 'line')
      .where('line.accountId in (:...accountIds)', { accountIds })
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

const FOREIGN_SUBSCRIPTIONS = `
  select claimed.subscription_id as "subscriptionId", claimed.account_id as "accountId"
  from unnest($1::uuid[], $2::uuid[]) as claimed (subscription_id, account_id)
  where exists (select from payment_lines l where l.subscription_id = claimed.subscription_id
      and l.account_id <> claimed.account_id)
    or exists (select from subscriptions s where s.id = claimed.subscription_id
      and s.account_id <> claimed.account_id)`;
