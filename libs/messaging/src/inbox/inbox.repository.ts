import type { Transaction } from '#libs/database';
import { DAY_MS, machineMs } from '#libs/platform';
import type { ReadEvent } from '../envelope/event-message.js';
import { InboxMonthMissing, isOutsidePartitions } from './failure.js';

/** The time limit of statements after the lock, the same as a handler's. */
const STATEMENT_LIMIT_MS = 5_000;
/** The days whose events have a partition, or get one when the job runs. */
const RECENT_DAYS = { before: 30, ahead: 2 };

/** The SQL of one consumer's inbox. All statements run under the lock of the bucket. */
export class InboxRepository {
  constructor(private readonly consumer: string) {}

  /**
   * Locks the bucket: until the transaction ends, no other process handles the bucket's events for this consumer,
   * whatever their topic. The lock is taken before all others, and there is one per bucket, so there are no deadlocks.
   * Also limits each later statement of the transaction to 5 s.
   */
  async lockBucket(transaction: Transaction, bucket: number): Promise<void> {
    await transaction.query(
      `select pg_advisory_xact_lock(hashtext($1), $2), set_config('statement_timeout', $3, true)`,
      [this.consumer, bucket, String(STATEMENT_LIMIT_MS)],
    );
  }

  /**
   * Inserts new events into the inbox. Repeated events and failed events are left out.
   * @returns the ids of the inserted events (`fresh`), and of delta events that are not inserted because an earlier
   * event of their key has failed (`waiting`).
   * @throws InboxMonthMissing while there is no partition for recent events. PostgreSQL refuses an event whose month
   * has been dropped (23514), so the event is dead-lettered: it may have been handled.
   */
  async admit(
    transaction: Transaction,
    topic: string,
    events: ReadEvent[],
  ): Promise<{ fresh: Set<string>; waiting: Set<string> }> {
    const ids = events.map(({ event }) => event.id);
    const parameters = [
      this.consumer,
      topic,
      ids,
      events.map(({ event }) => event.key),
      events.map(({ kind }) => kind === 'delta'),
    ];
    const rows = await transaction
      .query<{ event_id: string; is_fresh: boolean }>(ADMIT, parameters)
      .catch((cause: unknown) => refused(ids, cause));
    const idsOf = (isFresh: boolean) =>
      new Set(rows.filter((row) => row.is_fresh === isFresh).map((row) => row.event_id));
    return { fresh: idsOf(true), waiting: idsOf(false) };
  }

  /**
   * Records an event that failed before. The row of the failed event shows that it was not handled, so even an event
   * older than the inbox's months is new.
   * @returns false if it is already recorded.
   * @throws InboxMonthMissing while there is no partition for recent events.
   */
  async insert(transaction: Transaction, eventId: string): Promise<boolean> {
    const month = timeOf(eventId).toISOString().slice(0, 7).replace('-', '');
    const parameters = [this.consumer, eventId, `inbox_${month}`, isRecent(eventId)];
    const [{ is_new }] = await transaction
      .query<{ is_new: boolean }>(INSERT, parameters)
      .catch((cause: unknown) => refused([eventId], cause));
    return is_new;
  }

  async findSequences(
    transaction: Transaction,
    aggregates: string[],
  ): Promise<Map<string, bigint>> {
    const rows = await transaction.query<{ aggregate: string; sequence: string }>(
      'select aggregate, sequence from inbox_sequence where consumer = $1 and aggregate = any ($2)',
      [this.consumer, aggregates],
    );
    return new Map(rows.map(({ aggregate, sequence }) => [aggregate, BigInt(sequence)]));
  }

  async saveSequences(transaction: Transaction, sequences: Map<string, bigint>): Promise<void> {
    await transaction.query(
      `insert into inbox_sequence (consumer, aggregate, sequence)
       select $1, * from unnest($2::text[], $3::bigint[])
       on conflict (consumer, aggregate) do update set sequence = excluded.sequence`,
      [this.consumer, [...sequences.keys()], [...sequences.values()].map(String)],
    );
  }

  async markSuperseded(transaction: Transaction, eventIds: string[]): Promise<void> {
    await transaction.query(
      `update inbox set outcome = 'superseded' where consumer = $1 and event_id = any ($2::uuid[])`,
      [this.consumer, eventIds],
    );
  }
}

function refused(eventIds: string[], cause: unknown): never {
  if (!isOutsidePartitions(cause) || !eventIds.every(isRecent)) throw cause;
  throw new InboxMonthMissing(`the inbox has no month for ${eventIds[0]}`, { cause });
}

/** Returns the time in a UUIDv7 (RFC 9562 §5.7). */
function timeOf(eventId: string): Date {
  return new Date(Number.parseInt(eventId.slice(0, 8) + eventId.slice(9, 13), 16));
}

function isRecent(eventId: string): boolean {
  const aheadMs = timeOf(eventId).getTime() - machineMs();
  return -RECENT_DAYS.before * DAY_MS < aheadMs && aheadMs < RECENT_DAYS.ahead * DAY_MS;
}

const INSERT = `
  with entered as (
    insert into inbox (consumer, event_id, outcome)
    select $1, $2, 'applied' where to_regclass($3) is not null or $4
    on conflict do nothing returning event_id)
  select exists (select from entered) or to_regclass($3) is null as is_new`;

const ADMIT = `
  with arrived as (
    select a.event_id, a.is_delta and exists (
      select from failed_event p where p.consumer = $1 and p.topic = $2 and p.key = a.key
        and p.state = 'retrying') as waits
    from unnest($3::text[], $4::text[], $5::boolean[]) as a (event_id, key, is_delta)
    where not exists (
      select from failed_event p where p.consumer = $1 and p.event_id = a.event_id)),
  fresh as (
    insert into inbox (consumer, event_id, outcome)
    select $1, event_id::uuid, 'applied' from arrived where not waits
    on conflict do nothing returning event_id)
  select event_id::text, true as is_fresh from fresh
  union all
  select event_id, false from arrived where waits and not exists (
    select from inbox i where i.consumer = $1 and i.event_id = arrived.event_id::uuid)`;
