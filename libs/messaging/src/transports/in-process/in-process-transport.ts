import type { CustomStrategy } from '@nestjs/microservices';
import { describeEvent, producerOf } from '#libs/contracts';
import type { Database, MaintenanceDatabase } from '#libs/database';
import { type Logger, SECOND_MS, type ServiceName } from '#libs/platform';
import type { EventMessage } from '../../envelope/event-message.js';
import { type ConsumerLag, EventTransport } from '../../event-transport.js';
import { EventConsumer } from '../../consumer/event-consumer.js';
import { EventServer, type ServiceHandlers } from '../../inbox/event-server.js';
import { type Watcher, tell } from '../../inbox/watcher.js';
import { Relay } from '../../relay/relay.js';

/** How long rows that an operator's command has written may wait; rows of this process reach their relay at once. */
const UNASKED_EVERY_MS = SECOND_MS;

/** For each producer, the durable consumers that its events must reach. */
export type EventConsumers = Partial<Record<ServiceName, readonly ServiceName[]>>;

export interface InProcessTransportOptions {
  logger: Logger;
  /**
   * Rows wait in the outbox until all of these consumers listen; a consumer that is not listed refuses to start. Unset
   * in a process that is one service: the others are elsewhere, so nothing is sent or received.
   */
  consumers?: EventConsumers;
}

/** The error for a durable consumer that is not listed, or for a listed consumer that does not listen. */
export class MissingConsumer extends Error {}

/**
 * Carries events within one process: the outbox table is the broker. A row is sent once every durable consumer of its
 * producer has it in its inbox or among its failed events.
 */
export class InProcessTransport extends EventTransport {
  private readonly relays = new Map<ServiceName, Relay>();
  private readonly outboxes = new Map<ServiceName, MaintenanceDatabase>();
  private readonly consumers = new Map<ServiceName, EventConsumer>();
  private readonly watchers = new Map<ServiceName, Watcher>();

  constructor(private readonly options: InProcessTransportOptions) {
    super();
  }

  /**
   * Starts the relay. Events are sent once every durable consumer of the producer listens.
   * @throws Error if the producer already has a relay.
   */
  async startRelay(producer: ServiceName, database: MaintenanceDatabase): Promise<void> {
    if (this.relays.has(producer)) throw new Error(`${producer} already has a relay`);
    const { logger } = this.options;
    const publish = (messages: EventMessage[]) => this.publish(producer, messages);
    const counts = this.counts.of(producer);
    const unaskedEveryMs = UNASKED_EVERY_MS;
    const relay = new Relay({ producer, database, logger, counts, publish, unaskedEveryMs });
    this.relays.set(producer, relay);
    this.outboxes.set(producer, database);
    this.startCompleteRelays();
  }

  async stopRelay(producer: ServiceName): Promise<void> {
    const relay = this.relays.get(producer);
    this.relays.delete(producer);
    this.outboxes.delete(producer);
    await relay?.stop();
  }

  strategyFor(consumer: ServiceName, database: Database): CustomStrategy['strategy'] {
    return new EventServer({
      listen: async (handlers) => this.listen(consumer, database, handlers),
      close: async () => this.leave(consumer),
    });
  }

  /**
   * Returns the number of unsent rows of each producer that the consumer reads: a row is sent once every listed
   * consumer has it.
   */
  async lag(consumer: ServiceName): Promise<ConsumerLag[]> {
    const heard = [...this.outboxes].filter(([producer]) =>
      this.options.consumers?.[producer]?.includes(consumer),
    );
    return Promise.all(
      heard.map(async ([producer, database]) => {
        const [{ events }] = await database.query<{ events: number }>(
          'select count(*)::int as events from outbox where sent_at is null',
        );
        return { producer, events };
      }),
    );
  }

  wake(producer: ServiceName): void {
    this.relays.get(producer)?.wake();
  }

  /**
   * Checks that all listed consumers listen; call this once every service has started.
   * @throws MissingConsumer with the name of a consumer that does not listen, because the outbox would only grow.
   */
  requireConsumers(): void {
    const missing = [...this.relays.keys()].flatMap((producer) =>
      this.missingConsumers(producer).map((consumer) => `${consumer} (events of ${producer})`),
    );
    if (missing.length > 0) throw new MissingConsumer(`does not listen: ${missing.join(', ')}`);
  }

  /** Does nothing: the in-process transport is always available. */
  async check(): Promise<void> {}

  async close(): Promise<void> {
    await Promise.all([...this.relays.values()].map((relay) => relay.stop()));
    await Promise.all([...this.consumers.values()].map((consumer) => consumer.stop()));
    this.relays.clear();
    this.outboxes.clear();
    this.consumers.clear();
    this.watchers.clear();
  }

  private listen(consumer: ServiceName, database: Database, handlers: ServiceHandlers): void {
    const { logger } = this.options;
    if (handlers.durable.size > 0) {
      this.refuseUnnamed(consumer, handlers);
      const counts = this.counts.of(consumer);
      const durable = { consumer, database, logger, counts, handlers: handlers.durable };
      const eventConsumer = new EventConsumer(durable);
      this.consumers.set(consumer, eventConsumer);
      eventConsumer.start();
    }
    if (handlers.watching.size > 0) {
      this.watchers.set(consumer, { service: consumer, handlers: handlers.watching, logger });
    }
    this.startCompleteRelays();
  }

  private async leave(consumer: ServiceName): Promise<void> {
    this.watchers.delete(consumer);
    const eventConsumer = this.consumers.get(consumer);
    this.consumers.delete(consumer);
    await eventConsumer?.stop();
  }

  /**
   * Checks that a consumer is listed; otherwise, it would never receive rows that were sent before it started.
   * @throws MissingConsumer
   */
  private refuseUnnamed(consumer: ServiceName, handlers: ServiceHandlers): void {
    const { consumers } = this.options;
    if (consumers === undefined) return;
    for (const eventClass of handlers.durable.keys()) {
      const { type } = describeEvent(eventClass);
      if (consumers[producerOf(type)]?.includes(consumer)) continue;
      throw new MissingConsumer(`${consumer} consumes ${type} and is not named as its consumer`);
    }
  }

  private startCompleteRelays(): void {
    if (this.options.consumers === undefined) return;
    for (const [producer, relay] of this.relays) {
      if (this.missingConsumers(producer).length === 0) relay.start();
    }
  }

  private missingConsumers(producer: ServiceName): ServiceName[] {
    const named = this.options.consumers?.[producer] ?? [];
    return named.filter((consumer) => !this.consumers.has(consumer));
  }

  private async publish(producer: ServiceName, messages: EventMessage[]): Promise<void> {
    const missing = this.missingConsumers(producer);
    if (missing.length > 0) throw new MissingConsumer(`does not listen: ${missing.join(', ')}`);
    for (const watcher of this.watchers.values()) {
      for (const message of messages) void tell(watcher, message);
    }
    const named = this.options.consumers?.[producer] ?? [];
    await Promise.all(named.map((consumer) => this.consumers.get(consumer)?.deliver(messages)));
  }
}
