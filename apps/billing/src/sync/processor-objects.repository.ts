import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import type { ProcessorName, ProcessorRef } from '../processors/payment-processor.js';

export interface ObjectRef extends ProcessorRef {
  processor: ProcessorName;
}

/** An object whose fetch this process has taken on. */
export interface ClaimedObject extends ObjectRef {
  wishNo: string;
  /** Failures in a row before this one. */
  attempts: number;
}

const CLAIM_SECONDS = 60;

/**
 * The durable queue of what is to be fetched, and the guard of what a fetch may write. Times of the queue
 * are technical: they are the database's.
 */
@Injectable()
export class ProcessorObjectsRepository {
  constructor(private readonly database: Database) {}

  /** Wants an object fetched, as soon as somebody can. */
  async want(transaction: Transaction, { processor, kind, id }: ObjectRef): Promise<void> {
    await transaction.query(
      `insert into processor_objects as o (processor, kind, external_id, wish_no, due_at)
       values ($1, $2, $3, 1, clock_timestamp())
       on conflict (processor, kind, external_id) do update set wish_no = o.wish_no + 1,
         due_at = least(o.due_at, clock_timestamp())`,
      [processor, kind, id],
    );
  }

  /** Takes due objects, the longest due first, for a minute. */
  async claim(limit: number): Promise<ClaimedObject[]> {
    return this.database.query<ClaimedObject>(
      `with due as (
           select processor, kind, external_id from processor_objects
           where due_at <= clock_timestamp()
             and (claimed_until is null or claimed_until < clock_timestamp())
           order by due_at limit $1
           for update skip locked)
         update processor_objects o
         set claimed_until = clock_timestamp() + interval '${CLAIM_SECONDS} seconds'
         from due
         where (o.processor, o.kind, o.external_id) = (due.processor, due.kind, due.external_id)
         returning o.processor, o.kind, o.external_id as id, o.wish_no as "wishNo", o.attempts`,
      [limit],
    );
  }

  /** Gives a fetched object back. A wish that came meanwhile keeps it due. */
  async finish({ processor, kind, id, wishNo }: ClaimedObject): Promise<void> {
    await this.database.query(
      `update processor_objects set claimed_until = null, attempts = 0, last_error = null,
         due_at = case when wish_no = $4 then null else due_at end
       where processor = $1 and kind = $2 and external_id = $3`,
      [processor, kind, id, wishNo],
    );
  }

  /**
   * Gives an object back that could not be fetched or taken over; it is due again after `delayMs`, or at once if a
   * wish came meanwhile: the processor has news, and after many failures the delay is hours.
   */
  async fail(
    { processor, kind, id, wishNo }: ClaimedObject,
    failure: { error: string; delayMs: number },
  ): Promise<void> {
    await this.database.query(
      `update processor_objects set claimed_until = null, attempts = attempts + 1, last_error = $4,
         due_at = case when wish_no = $6 then clock_timestamp() + $5 * interval '1 millisecond'
           else clock_timestamp() end
       where processor = $1 and kind = $2 and external_id = $3`,
      [processor, kind, id, failure.error.slice(0, 500), failure.delayMs, wishNo],
    );
  }

  /** What to remember before a fetch, for `advance` after it. */
  async readSyncNo({ processor, kind, id }: ObjectRef): Promise<string> {
    const [{ syncNo }] = await this.database.query<{ syncNo: string }>(
      `insert into processor_objects as o (processor, kind, external_id) values ($1, $2, $3)
       on conflict (processor, kind, external_id) do update set sync_no = o.sync_no
       returning sync_no as "syncNo"`,
      [processor, kind, id],
    );
    return syncNo;
  }

  /** False when another fetch, which may be newer, was written since `syncNo` was read. */
  async advance(
    transaction: Transaction,
    { processor, kind, id }: ObjectRef,
    syncNo: string,
  ): Promise<boolean> {
    const written = await transaction.execute(
      `update processor_objects set sync_no = sync_no + 1, synced_at = clock_timestamp()
       where processor = $1 and kind = $2 and external_id = $3 and sync_no = $4`,
      [processor, kind, id, syncNo],
    );
    return written === 1;
  }
}
