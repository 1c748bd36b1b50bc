import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#libs/database';
import {
  type Logger,
  MINUTE_MS,
  SECOND_MS,
  Semaphore,
  crashPoint,
  monotonicMs,
} from '#libs/platform';
import {
  type EventMessage,
  type ReadEvent,
  type UnreadableEvent,
  readMessage,
} from '../envelope/event-message.js';
import { DiscardedReaper } from '../failed-events/discarded-reaper.js';
import { FailedEventRetries } from './failed-event-retries.js';
import {
  type FailedDelivery,
  FailedEventRepository,
} from '../failed-events/failed-event.repository.js';
import type { ServiceEventCounts } from '../telemetry/event-counts.js';
import { ConsumerPaused, classify, reasonOf } from '../inbox/failure.js';
import { type EventHandlers, Inbox } from '../inbox/inbox.js';
import { InboxRepository } from '../inbox/inbox.repository.js';

export interface EventConsumerOptions {
  /** Name of the durable group. */
  consumer: string;
  /** The consumer's own service role. */
  database: Database;
  handlers: EventHandlers;
  logger: Logger;
  counts: ServiceEventCounts;
}

/** Maximum number of events that share a transaction. */
const BATCH_LIMIT = 200;
/** Maximum number of concurrent transactions, so that a backlog leaves connections for the service's other work. */
const TRANSACTION_LIMIT = 4;
/** The pauses between the five quick attempts; once the time budget is used up, no further attempt begins. */
const QUICK_PAUSES_MS = [50, 150, 400, 900];
const QUICK_BUDGET_MS = 5 * SECOND_MS;
/** The time until a failed event is tried again for the first time. */
const FIRST_RETRY_MS = 10 * SECOND_MS;
const UNKNOWN_RETRY_MS = MINUTE_MS;

/**
 * A durable consumer: every delivered event ends up in its inbox or among its failed events, unless it has no handler.
 */
export class EventConsumer {
  private readonly inbox: Inbox;
  private readonly locks: InboxRepository;
  private readonly failedEvents: FailedEventRepository;
  private readonly slots = new Semaphore(TRANSACTION_LIMIT);
  private readonly background: { start(): void; stop(): Promise<void> }[];
  private readonly underWay = new Set<Promise<void>>();
  private isStopped = false;

  constructor(private readonly options: EventConsumerOptions) {
    const { consumer, handlers } = options;
    this.inbox = new Inbox(consumer, handlers);
    this.locks = new InboxRepository(consumer);
    this.failedEvents = new FailedEventRepository(consumer);
    this.background = [
      new FailedEventRetries({ ...options, inbox: this.inbox }),
      new DiscardedReaper(options),
    ];
  }

  /** Starts to retry failed events and to delete old discarded ones. */
  start(): void {
    for (const work of this.background) work.start();
  }

  /** Refuses further deliveries, stops the retries, and waits for running work. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.background.map((work) => work.stop()));
    await Promise.allSettled(this.underWay);
  }

  /**
   * Takes messages of one topic and bucket in order. When the call resolves, each message is handled or stored as
   * failed; messages without a handler are ignored. If it throws, the messages are delivered again; repetitions have no
   * effect.
   * @throws ConsumerPaused while the database is unavailable or the consumer is stopping, or if a failed event cannot
   * be stored.
   */
  async deliver(messages: EventMessage[]): Promise<void> {
    if (this.isStopped) throw new ConsumerPaused(`${this.options.consumer} is stopping`);
    const delivery = this.takeAll(messages);
    this.underWay.add(delivery);
    try {
      await delivery;
    } finally {
      this.underWay.delete(delivery);
    }
  }

  private async takeAll(messages: EventMessage[]): Promise<void> {
    const { handlers } = this.options;
    const reads = messages
      .map((message) => readMessage(message, (eventClass) => handlers.has(eventClass)))
      .filter((read) => read !== undefined);
    for (let start = 0; start < reads.length; start += BATCH_LIMIT) {
      await this.takeBatch(reads.slice(start, start + BATCH_LIMIT));
    }
  }

  private async takeBatch(reads: (ReadEvent | UnreadableEvent)[]): Promise<void> {
    const readable = reads.filter((read) => 'event' in read);
    if (readable.length === reads.length && (await this.tookTogether(readable))) return;
    for (const read of reads) {
      if ('event' in read) await this.takeSingly(read);
      else await this.storeUnreadable(read);
    }
  }

  /**
   * Takes a batch in one transaction.
   * @returns false if the batch failed in a way that a single event may have caused.
   * @throws ConsumerPaused
   */
  private async tookTogether(reads: ReadEvent[]): Promise<boolean> {
    try {
      await this.apply(reads);
      crashPoint('consumer.after-commit');
      return true;
    } catch (error) {
      if (classify(error) === 'pause') throw this.paused(error);
      return false;
    }
  }

  private async takeSingly(read: ReadEvent): Promise<void> {
    const startedAt = monotonicMs();
    for (let tries = 1; ; tries++) {
      try {
        await this.apply([read]);
        return;
      } catch (error) {
        const failure = classify(error);
        if (failure === 'pause') throw this.paused(error);
        const pauseMs = QUICK_PAUSES_MS.at(tries - 1);
        const isSpent = pauseMs === undefined || monotonicMs() - startedAt > QUICK_BUDGET_MS;
        if (failure === 'permanent' || isSpent) {
          const state = failure === 'permanent' ? 'dead' : 'retrying';
          const reason = reasonOf(error);
          const { type } = read.event;
          // The quick attempts count as one, because the number of attempts determines the later pauses.
          const failed = { type, state, reason, attempts: 1, delayMs: FIRST_RETRY_MS } as const;
          await this.storeFailed(read.message, failed);
          return;
        }
        await sleep(pauseMs);
      }
    }
  }

  private async storeUnreadable({
    message,
    failure,
    type,
    reason,
  }: UnreadableEvent): Promise<void> {
    const state = failure === 'malformed' ? 'dead' : 'retrying';
    await this.storeFailed(message, {
      type,
      state,
      reason: reasonOf(reason),
      attempts: 1,
      delayMs: UNKNOWN_RETRY_MS,
    });
  }

  private async storeFailed(message: EventMessage, failed: FailedDelivery): Promise<void> {
    const { consumer, database, logger, counts } = this.options;
    try {
      await database.transaction(async (transaction) => {
        await this.locks.lockBucket(transaction, message.bucket);
        await this.failedEvents.insert(transaction, message, failed);
        crashPoint('failed-event.before-commit');
      });
    } catch (error) {
      // The event is neither handled nor stored as failed, so the transport must keep it.
      throw this.paused(error);
    }
    counts.noteHandled(failed.type, failed.state);
    const fields = { eventId: message.id, key: message.key, reason: failed.reason };
    if (failed.state === 'dead') logger.error(`${consumer}: ${failed.type} is dead`, fields);
    else logger.warn(`${consumer}: ${failed.type} failed and is retried`, fields);
  }

  private async apply(reads: ReadEvent[]): Promise<void> {
    const handled = await this.slots.use(() =>
      this.options.database.transaction((transaction) => this.inbox.apply(transaction, reads)),
    );
    this.options.counts.noteAll(handled);
  }

  private paused(cause: unknown): ConsumerPaused {
    return new ConsumerPaused(`${this.options.consumer} cannot work now: ${reasonOf(cause)}`, {
      cause,
    });
  }
}
