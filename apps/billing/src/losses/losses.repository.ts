import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { type Micros, newId } from '#libs/platform';
import type { Payment } from '../payment-records/payment.entity.js';

@Injectable()
export class LossesRepository {
  async ofPayment(
    transaction: Transaction,
    { accountId, id }: Payment,
  ): Promise<{ takenMicros: Micros; lostMicros: Micros }> {
    const [{ taken, lost }] = await transaction.query<{ taken: string; lost: string }>(
      `select (select coalesce(sum(amount_micros), 0) from reversals
           where account_id = $1 and payment_id = $2 and state = 'final')::text as taken,
         (select coalesce(sum(amount_micros), 0) from losses
           where account_id = $1 and payment_id = $2)::text as lost`,
      [accountId, id],
    );
    return { takenMicros: BigInt(taken), lostMicros: BigInt(lost) };
  }

  async insert(
    transaction: Transaction,
    { accountId, id, currency }: Payment,
    { micros, bookedAt }: { micros: Micros; bookedAt: Date },
  ): Promise<void> {
    await transaction.query(
      `insert into losses (id, account_id, payment_id, amount_micros, currency, booked_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [newId(), accountId, id, micros, currency, bookedAt],
    );
  }
}
