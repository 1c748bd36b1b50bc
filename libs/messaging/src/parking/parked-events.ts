import { MoreThan } from 'typeorm';
import type { Database } from '#libs/database';
import { ParkedEvent, type ParkedState } from './parked-event.entity.js';

export interface ParkedFilter {
  consumer?: string;
  state?: ParkedState;
  topic?: string;
  key?: string;
  type?: string;
  eventId?: string;
}

export interface ParkedListing extends ParkedFilter {
  /** At most 200. */
  limit?: number;
  /** The last `arrival` of the page before. */
  after?: string;
}

const PAGE_LIMIT = 200;

/** The operator's hand on a service's parked and dead events. */
export class ParkedEvents {
  /** @param database opened with `ParkedEvent` among its entities. */
  constructor(private readonly database: Database) {}

  /** In the order they came in. */
  async list({ limit = PAGE_LIMIT, after = '0', ...filter }: ParkedListing = {}): Promise<
    ParkedEvent[]
  > {
    return this.database.transaction(({ manager }) =>
      manager.find(ParkedEvent, {
        where: { ...filter, arrival: MoreThan(after) },
        order: { arrival: 'ASC' },
        take: Math.min(limit, PAGE_LIMIT),
      }),
    );
  }

  /**
   * Lets events be tried again within a second, by the consumer itself and along the usual path.
   * Discarded ones stay. @returns how many.
   */
  async redrive(filter: ParkedFilter): Promise<number> {
    const rows = await this.database.query(
      `update parked_event set state = 'parked', attempts = 0, parked_at = clock_timestamp(),
         next_try_at = clock_timestamp()
       where ${MATCHES} and state <> 'discarded' returning event_id`,
      valuesOf(filter),
    );
    return rows.length;
  }

  /**
   * Gives one event up; the row and the reason stay, and a repeat of the event changes nothing.
   * @returns false when there is no such event parked or dead.
   */
  async discard(consumer: string, eventId: string, reason: string): Promise<boolean> {
    const rows = await this.database.query(DISCARD, [consumer, eventId, reason]);
    return rows.length === 1;
  }
}

const MATCHES = `consumer = coalesce($1, consumer) and state = coalesce($2, state)
  and topic = coalesce($3, topic) and key = coalesce($4, key) and type = coalesce($5, type)
  and event_id = coalesce($6, event_id)`;

function valuesOf(filter: ParkedFilter): unknown[] {
  const { consumer, state, topic, key, type, eventId } = filter;
  return [consumer, state, topic, key, type, eventId].map((value) => value ?? null);
}

// Those of its key that waited behind it are due now; only the first of them is tried.
const DISCARD = `
  with discarded as (
    update parked_event set state = 'discarded', reason = $3, settled_at = clock_timestamp()
    where consumer = $1 and event_id = $2 and state <> 'discarded'
    returning event_id, topic, key),
  released as (
    update parked_event p set next_try_at = clock_timestamp() from discarded d
    where p.consumer = $1 and p.topic = d.topic and p.key = d.key and p.state = 'parked'
      and p.next_try_at is null)
  select event_id from discarded`;
