import type { EventClass, EventEnvelope } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { crashPoint, monotonicMs, runInContext, startSpan } from '#libs/platform';
import type { ReadEvent } from '../envelope/event-message.js';
import { ParkedRepository } from '../parking/parked.repository.js';
import { InboxRepository } from './inbox.repository.js';
import { withinTime } from './time-limit.js';

/** Ephemeral ones get no transaction. */
export type EventHandler = (event: EventEnvelope, transaction?: Transaction) => Promise<unknown>;
export type EventHandlers = ReadonlyMap<EventClass, EventHandler>;

/**
 * How an event ended at a consumer: `applied`, `superseded` by a newer one of its aggregate, `parked` to be
 * tried again, or `dead`.
 */
export type EventOutcome = 'applied' | 'superseded' | 'parked' | 'dead';

/** What became of one event; true once the transaction has committed. */
export interface HandledEvent {
  type: string;
  outcome: EventOutcome;
  /** Of the handler alone; absent where none was asked. */
  durationMs?: number;
}

/** A handler that takes longer fails; long work belongs in a job. */
const HANDLER_LIMIT_MS = 5_000;

/** Gives each event to its handler once, within a transaction of the caller. */
export class Inbox {
  private readonly inbox: InboxRepository;
  private readonly parked: ParkedRepository;

  constructor(
    private readonly consumer: string,
    private readonly handlers: EventHandlers,
  ) {
    this.inbox = new InboxRepository(consumer);
    this.parked = new ParkedRepository(consumer);
  }

  /**
   * Handles events of one topic and bucket, in this order, each once and unless it waits behind a parked
   * one. All or none: what a handler throws comes out. @returns those that were not handled before.
   */
  async apply(transaction: Transaction, events: ReadEvent[]): Promise<HandledEvent[]> {
    crashPoint('consumer.before-inbox');
    const { topic, bucket } = events[0].message;
    await this.inbox.lockBucket(transaction, bucket);
    const { fresh, waiting } = await this.inbox.admit(transaction, topic, events);
    const parked = events.filter(({ event }) => waiting.delete(event.id));
    for (const read of parked) {
      await this.parked.insert(transaction, read.message, {
        type: read.event.type,
        state: 'parked',
        reason: 'waits behind an earlier event of its key',
        attempts: 0,
        delayMs: 0,
      });
    }
    // Deleting from the set also drops a repeat within the batch.
    const handled = await this.handle(
      transaction,
      events.filter(({ event }) => fresh.delete(event.id)),
    );
    crashPoint('consumer.before-commit');
    return [
      ...handled,
      ...parked.map(({ event }) => ({ type: event.type, outcome: 'parked' as const })),
    ];
  }

  /** Handles one event that had been parked. The bucket is locked by the caller. */
  async applyParked(transaction: Transaction, read: ReadEvent): Promise<HandledEvent[]> {
    const isNew = await this.inbox.insert(transaction, read.event.id);
    const handled = isNew ? await this.handle(transaction, [read]) : [];
    await this.parked.delete(transaction, read.event.id);
    return handled;
  }

  /** On behalf of whatever led to the event. */
  private async observed(
    { type, traceparent: parent }: EventEnvelope,
    handle: () => Promise<unknown>,
  ): Promise<void> {
    if (parent === undefined) return void (await handle());
    const service = this.consumer;
    const span = startSpan({ service, name: `handle ${type}`, kind: 'consumer', parent });
    let failed = true;
    try {
      await runInContext({ traceparent: span?.traceparent ?? parent }, handle);
      failed = false;
    } finally {
      span?.end({ failed });
    }
  }

  private async handle(transaction: Transaction, events: ReadEvent[]): Promise<HandledEvent[]> {
    const aggregates = events
      .filter(({ kind }) => kind === 'state')
      .map(({ event }) => event.aggregate);
    const newest = aggregates.length
      ? await this.inbox.findSequences(transaction, aggregates)
      : new Map<string, bigint>();
    const superseded: string[] = [];
    const handled: HandledEvent[] = [];
    for (const { event, eventClass, kind } of events) {
      if (kind === 'state') {
        if (BigInt(event.sequence) <= (newest.get(event.aggregate) ?? -1n)) {
          superseded.push(event.id);
          handled.push({ type: event.type, outcome: 'superseded' });
          continue;
        }
        newest.set(event.aggregate, BigInt(event.sequence));
      }
      const handler = this.handlers.get(eventClass);
      if (!handler) throw new Error(`no handler for ${event.type}`);
      const startedAt = monotonicMs();
      await withinTime(
        this.observed(event, () => handler(event, transaction)),
        HANDLER_LIMIT_MS,
        `the handler of ${event.type}`,
      );
      const durationMs = monotonicMs() - startedAt;
      handled.push({ type: event.type, outcome: 'applied', durationMs });
    }
    if (newest.size > 0) await this.inbox.saveSequences(transaction, newest);
    if (superseded.length > 0) await this.inbox.markSuperseded(transaction, superseded);
    return handled;
  }
}
