import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase, type Transaction } from '#libs/database';
import { Payment } from '../payment-records/payment.entity.js';
import { Reversal } from '../payment-records/reversal.entity.js';

const UNDECIDED = `
  select from reversals other join payments paid on paid.id = other.payment_id
  where other.payment_id = reversal.paymentId and other.state <> 'undone' group by paid.amount_micros
  having bool_or(other.state = 'requested') and sum(other.amount_micros) >= paid.amount_micros`;

@Injectable()
export class RefundsMaintenanceRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /**
   * Lists payments that must be returned, such as those for a deleted account or a second subscription, and whose
   * refund has not begun, oldest first.
   */
  async listToReturn(limit: number): Promise<Payment[]> {
    return this.maintenance.transaction((transaction) =>
      transaction.manager
        .createQueryBuilder(Payment, 'payment')
        .where('(not payment.isAnnounced or payment.isUnwanted) and payment.returnedAt is null')
        .orderBy('payment.confirmedAt')
        .limit(limit)
        .getMany(),
    );
  }

  /**
   * Lists failed refunds whose pause is over, longest due first. While pending reversals, such as a dispute that may be
   * won, cover the whole payment, no refund can be requested. Such a refund is skipped until the reversals are decided.
   */
  async listToRetry(now: Date, limit: number): Promise<{ payment: Payment; refund: Reversal }[]> {
    return this.maintenance.transaction(async (transaction) => {
      const refunds = await transaction.manager
        .createQueryBuilder(Reversal, 'reversal')
        .where(`reversal.cause = 'refund' and reversal.state = 'undone'`)
        .andWhere('reversal.closedAt is null and reversal.retryAt <= :now', { now })
        .andWhere(`not exists (${UNDECIDED})`)
        .orderBy('reversal.retryAt')
        .limit(limit)
        .getMany();
      return withPayments(transaction, refunds);
    });
  }

  /**
   * Lists refunds that were started here and that the processor has not confirmed yet, by id.
   * @param after the id to continue after.
   */
  async listToSettle(
    after: string,
    limit: number,
  ): Promise<{ payment: Payment; refund: Reversal }[]> {
    return this.maintenance.transaction(async (transaction) => {
      const refunds = await transaction.manager
        .createQueryBuilder(Reversal, 'reversal')
        .where(`reversal.externalId is null and reversal.state = 'requested'`)
        .andWhere('reversal.id > :after', { after })
        .orderBy('reversal.id')
        .limit(limit)
        .getMany();
      return withPayments(transaction, refunds);
    });
  }

  /** Whether the processor has still not confirmed a listed refund, and nobody has dismissed it. */
  async isUnsettled({ id }: Reversal): Promise<boolean> {
    const rows = await this.maintenance.query<object>(
      `select from reversals where id = $1 and external_id is null and state = 'requested'`,
      [id],
    );
    return rows.length > 0;
  }
}

async function withPayments(transaction: Transaction, refunds: readonly Reversal[]) {
  const ids = refunds.map(({ paymentId }) => paymentId);
  const payments = await transaction.manager
    .createQueryBuilder(Payment, 'payment')
    .where('payment.id = any(:ids)', { ids })
    .getMany();
  const byId = new Map(payments.map((payment) => [payment.id, payment]));
  return refunds.map((refund) => ({ payment: byId.get(refund.paymentId) as Payment, refund }));
}
