import { Injectable } from '@nestjs/common';
import type { PaymentReversed } from '#libs/contracts';
import type { Transaction } from '#libs/database';

@Injectable()
export class ReversalsRepository {
  /** A final reversal replaces its request, never the other way round. */
  async putReversal(
    transaction: Transaction,
    accountId: string,
    reversal: PaymentReversed,
  ): Promise<void> {
    const { reversalId, paymentId, cause, phase, lines } = reversal;
    await transaction.query(
      `insert into reversals as r (reversal_id, payment_id, account_id, cause, phase, line_id, share)
       select $1, $2, $3, $4, $5, l."lineId", l."refundedMicros" / greatest(1, l."paidMicros")
       from jsonb_to_recordset($6::jsonb) as l("lineId" uuid, "refundedMicros" numeric,
         "paidMicros" numeric)
       on conflict (reversal_id, line_id) do update set phase = excluded.phase, share = excluded.share
       where r.phase = 'requested'`,
      [reversalId, paymentId, accountId, cause, phase, JSON.stringify(lines)],
    );
  }

  /** Remembered even when the reversal itself is not known yet. */
  async insertUndone(
    transaction: Transaction,
    accountId: string,
    reversalId: string,
    now: Date,
  ): Promise<void> {
    await transaction.query(
      `insert into undone_reversals (reversal_id, account_id, undone_at) values ($1, $2, $3)
       on conflict do nothing`,
      [reversalId, accountId, now],
    );
  }
}
