import type { EventClass, EventEnvelope } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { crashPoint, monotonicMs, runInContext, startSpan } from '#libs/platform';
import type { ReadEvent } from '../envelope/event-message.js';
import { FailedEventRepository } from '../failed-events/failed-event.repository.js';
import { InboxRepository } from './inbox.repository.js';
import { withinTime } from './time-limit.js';

/** Handles an event; only a watching handler gets no transaction. */
export type EventHandler = (event: EventEnvelope, transaction?: Transaction) => Promise<unknown>;
export type EventHandlers = ReadonlyMap<EventClass, EventHandler>;

/**
 * The outcome of an event at a consumer: `applied`, `superseded` by a newer event of its aggregate, `retrying`, or
 * `dead`.
 */
export type EventOutcome = 'applied' | 'superseded' | 'retrying' | 'dead';

/** The result of one event, valid once the transaction has committed. */
export interface HandledEvent {
  type: string;
  outcome: EventOutcome;
  /** The time that the handler took, including waits for statements of other keys; absent if no handler ran. */
  durationMs?: number;
}

/** The time limit of a handler; work that takes longer belongs in a job. */
const HANDLER_LIMIT_MS = 5_000;
/**
 * The number of keys whose events are handled at the same time. They share one connection: with more keys, each would
 * wait longer for the others.
 */
const KEYS_AT_A_TIME = 16;

/** Passes each event to its handler once, within a transaction of the caller. */
export class Inbox {
  private readonly inbox: InboxRepository;
  private readonly failedEvents: FailedEventRepository;

  constructor(
    private readonly consumer: string,
    private readonly handlers: EventHandlers,
  ) {
    this.inbox = new InboxRepository(consumer);
    this.failedEvents = new FailedEventRepository(consumer);
  }

  /**
   * Handles events of one topic and bucket, each once and those of a key in order, except those that wait behind a
   * failed event. Either all or none are handled: a handler's exception is rethrown.
   * @returns the outcome of each event that had not been handled or stored as failed before.
   */
  async apply(transaction: Transaction, events: ReadEvent[]): Promise<HandledEvent[]> {
    crashPoint('consumer.before-inbox');
    const { topic, bucket } = events[0].message;
    await this.inbox.lockBucket(transaction, bucket);
    const { fresh, waiting } = await this.inbox.admit(transaction, topic, events);
    const failed = events.filter(({ event }) => waiting.delete(event.id));
    for (const read of failed) {
      await this.failedEvents.insert(transaction, read.message, {
        type: read.event.type,
        state: 'retrying',
        reason: 'waits behind an earlier event of its key',
        attempts: 0,
      });
    }
    // Deleting the id from the set also drops repetitions within the batch.
    const handled = await this.handle(
      transaction,
      events.filter(({ event }) => fresh.delete(event.id)),
    );
    crashPoint('consumer.before-commit');
    return [
      ...handled,
      ...failed.map(({ event }) => ({ type: event.type, outcome: 'retrying' as const })),
    ];
  }

  /**
   * Handles one event that has failed before, and removes it from the failed events. The caller has locked the bucket.
   * @returns its outcome; an empty list if it has been handled in the meantime.
   */
  async applyFailed(transaction: Transaction, read: ReadEvent): Promise<HandledEvent[]> {
    const isNew = await this.inbox.insert(transaction, read.event.id);
    const handled = isNew ? await this.handle(transaction, [read]) : [];
    await this.failedEvents.delete(transaction, read.event.id);
    return handled;
  }

  /** Runs a handler in the trace of the event's cause, and passes on its error. */
  private async observed(
    { type, traceparent: parent }: EventEnvelope,
    handle: () => Promise<unknown>,
  ): Promise<void> {
    if (parent === undefined) return void (await handle());
    const service = this.consumer;
    const span = startSpan({ service, name: `handle ${type}`, kind: 'consumer', parent });
    try {
      await runInContext({ traceparent: span?.traceparent ?? parent }, handle);
      span?.end();
    } catch (error) {
      span?.end({ failed: true });
      throw error;
    }
  }

  private async handle(transaction: Transaction, events: ReadEvent[]): Promise<HandledEvent[]> {
    const aggregates = events
      .filter(({ kind }) => kind === 'state')
      .map(({ event }) => event.aggregate);
    const newest = aggregates.length
      ? await this.inbox.findSequences(transaction, aggregates)
      : new Map<string, bigint>();
    const superseded: ReadEvent[] = [];
    const current: ReadEvent[] = [];
    for (const read of events) {
      const { aggregate, sequence } = read.event;
      const isNewest = BigInt(sequence) > (newest.get(aggregate) ?? -1n);
      if (read.kind === 'state' && isNewest) newest.set(aggregate, BigInt(sequence));
      (read.kind === 'delta' || isNewest ? current : superseded).push(read);
    }
    const handled = await this.handleKeys(transaction, current);
    if (newest.size > 0) await this.inbox.saveSequences(transaction, newest);
    if (superseded.length === 0) return handled;
    const ids = superseded.map(({ event }) => event.id);
    await this.inbox.markSuperseded(transaction, ids);
    return [
      ...handled,
      ...superseded.map(({ event }) => ({ type: event.type, outcome: 'superseded' as const })),
    ];
  }

  /**
   * Handles several keys concurrently, and the events of each key in order. After a failure, no further event is
   * started. Running events have ended before the first failure is rethrown, so nothing is written after the rollback.
   */
  private async handleKeys(transaction: Transaction, events: ReadEvent[]): Promise<HandledEvent[]> {
    const handled: HandledEvent[] = [];
    const failures: unknown[] = [];
    const keys = Map.groupBy(events, ({ event }) => event.key).values();
    const takeKeys = async () => {
      for (const ofKey of keys) {
        for (const read of ofKey) {
          if (failures.length > 0) return;
          try {
            handled.push(await this.handleOne(transaction, read));
          } catch (error) {
            failures.push(error);
          }
        }
      }
    };
    await Promise.all(Array.from({ length: KEYS_AT_A_TIME }, takeKeys));
    if (failures.length > 0) throw failures[0];
    return handled;
  }

  private async handleOne(
    transaction: Transaction,
    { event, eventClass }: ReadEvent,
  ): Promise<HandledEvent> {
    const { type } = event;
    // Only events with a handler were read.
    const handler = this.handlers.get(eventClass)!;
    const startedAt = monotonicMs();
    const handling = this.observed(event, () => handler(event, transaction));
    await withinTime(handling, HANDLER_LIMIT_MS, `the handler of ${type}`);
    return { type, outcome: 'applied', durationMs: monotonicMs() - startedAt };
  }
}
