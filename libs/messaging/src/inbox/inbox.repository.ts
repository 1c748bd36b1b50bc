import type { Transaction } from '#libs/database';
import type { ReadEvent } from '../envelope/event-message.js';

/** From the lock on, a handler's statement ends no later than the handler must. */
const STATEMENT_LIMIT_MS = 5_000;

/** SQL of one consumer's inbox. Everything runs under the lock of the bucket. */
export class InboxRepository {
  constructor(private readonly consumer: string) {}

  /**
   * Until the transaction ends, nobody else handles events of this bucket for this consumer, whatever
   * their topic. Taken first: sorted row locks ended in deadlocks, one lock a bucket in none.
   */
  async lockBucket(transaction: Transaction, bucket: number): Promise<void> {
    await transaction.query(
      `select pg_advisory_xact_lock(hashtext($1), $2), set_config('statement_timeout', $3, true)`,
      [this.consumer, bucket, String(STATEMENT_LIMIT_MS)],
    );
  }

  /**
   * Enters what is new into the inbox. Repeats and failed events are left out; so are delta events
   * behind a failed one of their key, which are told apart.
   */
  async admit(
    transaction: Transaction,
    topic: string,
    events: ReadEvent[],
  ): Promise<{ fresh: Set<string>; waiting: Set<string> }> {
    const rows = await transaction.query<{ event_id: string; is_fresh: boolean }>(ADMIT, [
      this.consumer,
      topic,
      events.map(({ event }) => event.id),
      events.map(({ event }) => event.key),
      events.map(({ kind }) => kind === 'delta'),
    ]);
    const idsOf = (isFresh: boolean) =>
      new Set(rows.filter((row) => row.is_fresh === isFresh).map((row) => row.event_id));
    return { fresh: idsOf(true), waiting: idsOf(false) };
  }

  /** @returns false when it is there already. */
  async insert(transaction: Transaction, eventId: string): Promise<boolean> {
    const rows = await transaction.query(
      `insert into inbox (consumer, event_id, outcome) values ($1, $2, 'applied')
       on conflict do nothing returning event_id`,
      [this.consumer, eventId],
    );
    return rows.length === 1;
  }

  /** The newest sequence applied of each aggregate. */
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
      `update inbox set outcome = 'superseded' where consumer = $1 and event_id = any ($2)`,
      [this.consumer, eventIds],
    );
  }
}

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
    select $1, event_id, 'applied' from arrived where not waits order by event_id
    on conflict do nothing returning event_id)
  select event_id, true as is_fresh from fresh
  union all
  select event_id, false from arrived where waits and not exists (
    select from inbox i where i.consumer = $1 and i.event_id = arrived.event_id)`;
