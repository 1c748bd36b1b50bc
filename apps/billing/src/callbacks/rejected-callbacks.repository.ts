import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import type { CallbackRejection, ProcessorName } from '../processors/payment-processor.js';

export interface RejectedCallback {
  processor: ProcessorName;
  reason: CallbackRejection;
  receivedAt: Date;
  sizeBytes: number;
  /** The beginning of the body. */
  raw: Buffer;
}

export interface RejectedCount {
  day: string;
  processor: ProcessorName;
  reason: CallbackRejection;
  count: number;
}

/** Maximum number of rejected callbacks stored per day; all others are only counted. */
const REJECTED_A_DAY_MAX = 1_000;

@Injectable()
export class RejectedCallbacksRepository {
  async count(transaction: Transaction, counts: readonly RejectedCount[]): Promise<void> {
    await transaction.query(
      `insert into rejected_callback_counts as c (day, processor, reason, count)
       select day, processor, reason, count from jsonb_to_recordset($1::jsonb)
         as given(day date, processor text, reason text, count bigint)
       order by day, processor, reason
       on conflict (day, processor, reason) do update set count = c.count + excluded.count`,
      [JSON.stringify(counts)],
    );
  }

  /** Stores a rejected callback unless the day's limit has been reached. */
  async keep(transaction: Transaction, rejected: RejectedCallback): Promise<void> {
    const { processor, reason, receivedAt, sizeBytes, raw } = rejected;
    await transaction.query(
      `insert into rejected_callbacks (id, processor, reason, received_at, size_bytes, raw)
       select $2, $3, $4, $5, $6, $7
       where (select sum(count) from rejected_callback_counts where day = $1) <= $8`,
      [
        receivedAt.toISOString().slice(0, 10),
        newId(),
        processor,
        reason,
        receivedAt,
        sizeBytes,
        raw,
        REJECTED_A_DAY_MAX,
      ],
    );
  }
}
