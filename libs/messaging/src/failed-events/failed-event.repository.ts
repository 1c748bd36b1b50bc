import type { Database, Transaction } from '#libs/database';
import { type EventMessage, isEventId } from '../envelope/event-message.js';

export interface FailedEventRow {
  event_id: string;
  topic: string;
  bucket: number;
  key: string;
  type: string;
  body: string;
  reason: string;
  attempts: number;
  is_due: boolean;
  /** Milliseconds since the event failed or was last redriven. */
  failed_for_ms: number;
}

export interface FailedDelivery {
  type: string;
  state: 'retrying' | 'dead';
  reason: string;
  attempts: number;
  /** Milliseconds until the next attempt; absent while the event waits behind an earlier event. */
  delayMs?: number;
}

/** Identifies a queue: the failed events of one key and topic, in order of arrival. */
export interface FailedEventQueue {
  topic: string;
  bucket: number;
  key: string;
}

export class FailedEventRepository {
  constructor(private readonly consumer: string) {}

  /** Stores a failed event; does nothing for an event that is already stored or handled. */
  async insert(
    transaction: Transaction,
    message: EventMessage,
    failed: FailedDelivery,
  ): Promise<void> {
    await transaction.query(INSERT, [
      this.consumer,
      message.id,
      message.topic,
      message.bucket,
      message.key,
      // PostgreSQL's text type does not allow NUL characters, but a producer may have sent one.
      failed.type.replaceAll('\0', ''),
      message.body,
      failed.state,
      failed.reason,
      failed.attempts,
      failed.delayMs ?? null,
      isEventId(message.id) ? message.id : null,
    ]);
  }

  /** Makes events due that have become the first of their queue. It reads all failed events. */
  async releaseHeads(transaction: Transaction): Promise<void> {
    await transaction.query(RELEASE_HEADS, [this.consumer]);
  }

  /** Lists the queues whose head is due. The cost depends on the number of due queues, not of failed events. */
  async listDueQueues(
    database: Pick<Database, 'query'>,
    limit: number,
  ): Promise<FailedEventQueue[]> {
    return database.query<FailedEventQueue>(LIST_DUE_QUEUES, [this.consumer, limit]);
  }

  /** Locks the first event of a queue against operators' commands, and returns it; undefined if the queue is empty. */
  async lockHead(
    transaction: Transaction,
    queue: FailedEventQueue,
  ): Promise<FailedEventRow | undefined> {
    const rows = await transaction.query<FailedEventRow>(LOCK_HEAD, [
      this.consumer,
      queue.topic,
      queue.key,
    ]);
    return rows.at(0);
  }

  async update(
    transaction: Transaction,
    eventId: string,
    { state, reason, attempts, delayMs }: Required<Omit<FailedDelivery, 'type'>>,
  ): Promise<void> {
    await transaction.query(UPDATE, [this.consumer, eventId, state, reason, attempts, delayMs]);
  }

  async delete(transaction: Transaction, eventId: string): Promise<void> {
    await transaction.query('delete from failed_event where consumer = $1 and event_id = $2', [
      this.consumer,
      eventId,
    ]);
  }
}

const INSERT = `
  insert into failed_event (consumer, event_id, topic, bucket, key, type, body, state, reason,
    attempts, next_try_at)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
    clock_timestamp() + $11 * interval '1 ms'
  where not exists (select from inbox where consumer = $1 and event_id = $12::uuid)
  on conflict do nothing`;

// Redriven events are left out if the head of their queue is not due yet.
const LIST_DUE_QUEUES = `
  select topic, bucket, key from (
    select topic, bucket, key, next_try_at from failed_event p
    where consumer = $1 and state = 'retrying' and next_try_at <= statement_timestamp()
      and not exists (
        select from failed_event e where e.consumer = $1 and e.state = 'retrying'
          and e.topic = p.topic and e.key = p.key and e.arrival < p.arrival)
    order by next_try_at limit $2) head`;

const RELEASE_HEADS = `
  with heads as (
    select distinct on (topic, key) event_id, next_try_at from failed_event
    where consumer = $1 and state = 'retrying' order by topic, key, arrival)
  update failed_event p set next_try_at = clock_timestamp() from heads
  where p.consumer = $1 and p.event_id = heads.event_id and heads.next_try_at is null
    and p.next_try_at is null`;

const LOCK_HEAD = `
  select event_id, topic, bucket, key, type, body, reason, attempts,
    coalesce(next_try_at <= clock_timestamp(), true) as is_due,
    (extract(epoch from clock_timestamp() - failed_at) * 1000)::float8 as failed_for_ms
  from failed_event where consumer = $1 and topic = $2 and key = $3 and state = 'retrying'
  order by arrival limit 1 for update`;

const UPDATE = `
  update failed_event set state = $3, reason = $4, attempts = $5,
    next_try_at = clock_timestamp() + $6 * interval '1 ms'
  where consumer = $1 and event_id = $2 and state = 'retrying'`;
