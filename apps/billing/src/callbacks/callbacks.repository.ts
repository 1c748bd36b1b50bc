import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase, type Transaction } from '#libs/database';
import { isId, newId } from '#libs/platform';
import type {
  ProcessorEvent,
  ProcessorName,
  ProcessorRef,
} from '../processors/payment-processor.js';

export interface StoredCallback {
  processor: ProcessorName;
  event: ProcessorEvent;
  receivedAt: Date;
  /** The source of the event; `listing` means that polling found it without a callback. */
  source: 'callback' | 'listing';
  raw: Buffer | null;
}

export interface CallbackSubject {
  processor: ProcessorName;
  /** The kind of the object; null if the callback names no object that concerns us. */
  kind: ProcessorRef['kind'] | null;
  externalId: string;
}

@Injectable()
export class CallbacksRepository {
  async insert(transaction: Transaction, callback: StoredCallback): Promise<boolean> {
    const { processor, event, receivedAt, source, raw } = callback;
    const written = await transaction.execute(
      `insert into callbacks (id, processor, event_id, type, kind, external_id, occurred_at,
         received_at, source, raw)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       on conflict (processor, event_id) do nothing`,
      [
        newId(),
        processor,
        event.id,
        event.type,
        event.ref?.kind ?? null,
        event.ref?.id ?? null,
        event.occurredAt,
        receivedAt,
        source,
        raw,
      ],
    );
    return written === 1;
  }

  /**
   * Finds the object that a stored callback names, by the callback's id here or at the processor;
   * returns undefined if no callback has the id. An operator knows one of these ids, but not the
   * account.
   */
  async find(transaction: Transaction, id: string): Promise<CallbackSubject | undefined> {
    const [row] = await transaction.query<CallbackSubject>(
      `select processor, kind, external_id as "externalId" from callbacks
       where id = $1 or (processor = any($2) and event_id = $3)`,
      [isId(id) ? id : null, ['stripe', 'paypal'], id],
    );
    return row;
  }

  async readCursor(transaction: Transaction, processor: ProcessorName): Promise<Date | undefined> {
    const [row] = await transaction.query<{ cursor: Date }>(
      'select cursor from event_cursors where processor = $1',
      [processor],
    );
    return row?.cursor;
  }

  async putCursor(transaction: Transaction, processor: ProcessorName, cursor: Date): Promise<void> {
    await transaction.query(
      `insert into event_cursors (processor, cursor) values ($1, $2)
       on conflict (processor) do update set cursor = $2`,
      [processor, cursor],
    );
  }
}

@Injectable()
export class CallbacksMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  /** Deletes the bodies of callbacks received before a time, at most `limit`. @returns the number of callbacks. */
  async forgetBodies(before: Date, limit: number): Promise<number> {
    const rows = await this.database.query(
      `update callbacks set raw = null where id in (
         select id from callbacks where raw is not null and received_at < $1 order by received_at limit $2) returning id`,
      [before, limit],
    );
    return rows.length;
  }

  async forgetRejected(before: Date): Promise<void> {
    await this.database.query('delete from rejected_callbacks where received_at < $1', [before]);
  }
}
