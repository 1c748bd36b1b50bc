import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';
import { Payment } from '../payments/payment.entity.js';
import { Reversal } from '../payments/reversal.entity.js';

/** What is to be given back, of every account. */
@Injectable()
export class RefundsMaintenanceRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /**
   * Payments that nobody wanted, of a deleted account or of a second subscription, to be given back now, oldest first. After the nth failed refund, a
   * payment is due once `pausesMs[n - 1]` has passed; after more failures than pauses, at once, to be set aside.
   */
  async listToReturn(now: Date, pausesMs: readonly number[], limit: number): Promise<Payment[]> {
    return this.maintenance.transaction((transaction) =>
      transaction.manager
        .createQueryBuilder(Payment, 'payment')
        .where('(not payment.isAnnounced or payment.isUnwanted) and payment.returnedAt is null')
        .andWhere(
          `not exists (select from reversals r where r.payment_id = payment.id and r.state = 'requested')`,
        )
        .andWhere(
          `(select coalesce(
              max(r.updated_at) + (:pausesMs::float8[])[count(*)::int] * interval '1 ms', '-infinity')
            from reversals r where r.payment_id = payment.id and r.cause = 'refund'
              and r.state = 'undone') <= :now`,
          { now, pausesMs },
        )
        .orderBy('payment.confirmedAt')
        .limit(limit)
        .getMany(),
    );
  }

  /** Refunds begun here that the processor has not confirmed yet, oldest first. */
  async listToSettle(limit: number): Promise<{ payment: Payment; refund: Reversal }[]> {
    return this.maintenance.transaction(async (transaction) => {
      const refunds = await transaction.manager
        .createQueryBuilder(Reversal, 'reversal')
        .where(`reversal.externalId is null and reversal.state = 'requested'`)
        .orderBy('reversal.createdAt')
        .limit(limit)
        .getMany();
      const ids = refunds.map(({ paymentId }) => paymentId);
      const payments = await transaction.manager
        .createQueryBuilder(Payment, 'payment')
        .where('payment.id = any(:ids)', { ids })
        .getMany();
      const byId = new Map(payments.map((payment) => [payment.id, payment]));
      return refunds.map((refund) => ({ payment: byId.get(refund.paymentId) as Payment, refund }));
    });
  }
}
