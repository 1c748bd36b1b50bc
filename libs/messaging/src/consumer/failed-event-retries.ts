import type { Database, Transaction } from '#libs/database';
import { HOUR_MS, type Logger, Loop, MINUTE_MS, SECOND_MS, crashPoint } from '#libs/platform';
import { type EventMessage, UNKNOWN_EVENT, readMessage } from '../envelope/event-message.js';
import { classify, reasonOf } from '../inbox/failure.js';
import type { EventHandlers, HandledEvent, Inbox } from '../inbox/inbox.js';
import { InboxRepository } from '../inbox/inbox.repository.js';
import type { ServiceEventCounts } from '../telemetry/event-counts.js';
import {
  type FailedEventQueue,
  type FailedEventRow,
  FailedEventRepository,
} from '../failed-events/failed-event.repository.js';

export interface FailedEventRetriesOptions {
  consumer: string;
  database: Database;
  handlers: EventHandlers;
  inbox: Inbox;
  logger: Logger;
  counts: ServiceEventCounts;
}

const LOOK_MS = 500;
/**
 * How long a queue waits if an operator has removed its first event, or if the process that handled the event was
 * killed.
 */
const RELEASE_MS = 10 * SECOND_MS;
const QUEUES_PER_LOOK = 100;
const BACK_OFF_MS = [10 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];
const UNKNOWN_LIMIT_MS = HOUR_MS;
const UNKNOWN_RETRY_MS = MINUTE_MS;

/**
 * Retries failed events when they are due, in order within a key and topic: once the head has succeeded or is dead, the
 * next event follows at once. Redriven events take the same path.
 */
export class FailedEventRetries {
  private readonly loop: Loop;
  private readonly releasing: Loop;
  private readonly failedEvents: FailedEventRepository;
  private readonly locks: InboxRepository;
  private isStopping = false;

  constructor(private readonly options: FailedEventRetriesOptions) {
    this.failedEvents = new FailedEventRepository(options.consumer);
    this.locks = new InboxRepository(options.consumer);
    this.loop = new Loop({
      name: `${options.consumer}: retry failed events`,
      intervalMs: LOOK_MS,
      logger: options.logger,
      work: () => this.retryDue(),
    });
    this.releasing = new Loop({
      name: `${options.consumer}: release failed events`,
      intervalMs: RELEASE_MS,
      logger: options.logger,
      work: () =>
        options.database.transaction((transaction) => this.failedEvents.releaseHeads(transaction)),
    });
  }

  start(): void {
    void this.releasing.start();
    void this.loop.start();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all([this.releasing.stop(), this.loop.stop()]);
  }

  private async retryDue(): Promise<void> {
    const { database } = this.options;
    const queues = await this.failedEvents.listDueQueues(database, QUEUES_PER_LOOK);
    for (const queue of queues) {
      while (!this.isStopping && (await this.movedHead(queue)));
    }
    if (queues.length === QUEUES_PER_LOOK) this.loop.wake();
  }

  /**
   * Retries the head of a queue.
   * @returns true if the head was removed from the queue; false if there is none or it stays.
   * @throws if the database is unavailable.
   */
  private async movedHead(queue: FailedEventQueue): Promise<boolean> {
    const seen: { head?: FailedEventRow; handled: HandledEvent[] } = { handled: [] };
    try {
      const hasMoved = await this.options.database.transaction(async (transaction) => {
        await this.locks.lockBucket(transaction, queue.bucket);
        seen.head = await this.failedEvents.lockHead(transaction, queue);
        if (!seen.head?.is_due) return false;
        return this.tryHead(transaction, seen.head, seen.handled);
      });
      this.options.counts.noteAll(seen.handled);
      return hasMoved;
    } catch (error) {
      if (!seen.head || classify(error) === 'pause') throw error;
      return this.failHead(seen.head, error);
    }
  }

  private async tryHead(
    transaction: Transaction,
    head: FailedEventRow,
    handled: HandledEvent[],
  ): Promise<boolean> {
    const { handlers, inbox } = this.options;
    const read = readMessage(messageOf(head), (eventClass) => handlers.has(eventClass));
    if (read && 'event' in read) {
      handled.push(...(await inbox.applyFailed(transaction, read)));
      crashPoint('failed-event-retry.before-commit');
      return true;
    }
    if (!read && head.reason.startsWith(UNKNOWN_EVENT)) {
      // An earlier release, which did not know the type, stored it. An event without a handler is ignored.
      await this.failedEvents.delete(transaction, head.event_id);
      return true;
    }
    const reason = read?.reason ?? `no handler for ${head.type} any longer`;
    const mayBecomeKnown = read?.failure === 'unknown' && head.failed_for_ms < UNKNOWN_LIMIT_MS;
    await this.settle(transaction, head, {
      isDead: !mayBecomeKnown,
      reason,
      delayMs: UNKNOWN_RETRY_MS,
    });
    return !mayBecomeKnown;
  }

  private async failHead(head: FailedEventRow, error: unknown): Promise<boolean> {
    const isDead = classify(error) === 'permanent';
    const delayMs = BACK_OFF_MS[Math.min(head.attempts, BACK_OFF_MS.length - 1)];
    await this.options.database.transaction(async (transaction) => {
      await this.locks.lockBucket(transaction, head.bucket);
      await this.settle(transaction, head, { isDead, reason: reasonOf(error), delayMs });
    });
    return isDead;
  }

  private async settle(
    transaction: Transaction,
    head: FailedEventRow,
    { isDead, reason, delayMs }: { isDead: boolean; reason: string; delayMs: number },
  ): Promise<void> {
    await this.failedEvents.update(transaction, head.event_id, {
      state: isDead ? 'dead' : 'retrying',
      reason,
      attempts: head.attempts + 1,
      delayMs,
    });
    if (!isDead) return;
    const { consumer, logger, counts } = this.options;
    counts.noteHandled(head.type, 'dead');
    logger.error(`${consumer}: ${head.type} is dead`, { eventId: head.event_id, reason });
  }
}

function messageOf(row: FailedEventRow): EventMessage {
  return {
    id: row.event_id,
    topic: row.topic,
    bucket: row.bucket,
    key: row.key,
    body: row.body,
  };
}
