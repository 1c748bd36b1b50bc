import { MoreThan } from 'typeorm';
import type { Database } from '#libs/database';
import { FailedEvent, type FailedEventState } from './failed-event.entity.js';

export interface FailedEventFilter {
  consumer?: string;
  state?: FailedEventState;
  topic?: string;
  key?: string;
  type?: string;
  eventId?: string;
}

export interface FailedEventListing extends FailedEventFilter {
  /** At most 200, which is the default. */
  limit?: number;
  /** The last `arrival` of the previous page. */
  after?: string;
}

const PAGE_LIMIT = 200;

export class FailedEvents {
  /** @param database opened with `FailedEvent` among its entities. */
  constructor(private readonly database: Database) {}

  /** Lists up to 200 failed events that match a filter, in order of arrival. */
  async list({ limit = PAGE_LIMIT, after = '0', ...filter }: FailedEventListing = {}): Promise<
    FailedEvent[]
  > {
    return this.database.transaction(({ manager }) =>
      manager.find(FailedEvent, {
        where: { ...filter, arrival: MoreThan(after) },
        order: { arrival: 'ASC' },
        take: Math.min(limit, PAGE_LIMIT),
      }),
    );
  }

  /**
   * Makes the events that match a filter due; the consumer itself retries them within a second along the usual path.
   * Discarded events stay.
   * @returns how many events are retried.
   */
  async redrive(filter: FailedEventFilter): Promise<number> {
    const rows = await this.database.query(
      `update failed_event set state = 'retrying', attempts = 0, failed_at = clock_timestamp(),
         next_try_at = clock_timestamp()
       where ${MATCHES} and state <> 'discarded' returning event_id`,
      valuesOf(filter),
    );
    return rows.length;
  }

  /**
   * Discards one event. The row stays for 30 days, with the reason, and a redelivery of the event changes nothing.
   * @returns false if there is no such failed event.
   */
  async discard(consumer: string, eventId: string, reason: string): Promise<boolean> {
    const rows = await this.database.query(DISCARD, [consumer, eventId, reason]);
    return rows.length === 1;
  }
}

const MATCHES = `consumer = coalesce($1, consumer) and state = coalesce($2, state)
  and topic = coalesce($3, topic) and key = coalesce($4, key) and type = coalesce($5, type)
  and event_id = coalesce($6, event_id)`;

function valuesOf(filter: FailedEventFilter): unknown[] {
  const { consumer, state, topic, key, type, eventId } = filter;
  return [consumer, state, topic, key, type, eventId];
}

// Later events of its key become due; only the first of them is tried.
const DISCARD = `
  with discarded as (
    update failed_event set state = 'discarded', reason = $3, settled_at = clock_timestamp()
    where consumer = $1 and event_id = $2 and state <> 'discarded'
    returning event_id, topic, key),
  released as (
    update failed_event p set next_try_at = clock_timestamp() from discarded d
    where p.consumer = $1 and p.topic = d.topic and p.key = d.key and p.state = 'retrying'
      and p.next_try_at is null)
  select event_id from discarded`;
