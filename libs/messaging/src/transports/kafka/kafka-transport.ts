import type { CustomStrategy } from '@nestjs/microservices';
import { type EventClass, describeEvent, producerOf } from '#libs/contracts';
import type { Database, MaintenanceDatabase } from '#libs/database';
import { type Logger, SECOND_MS, type ServiceName, newId } from '#libs/platform';
import { topicOf } from '../../envelope/bucket.js';
import type { EventMessage } from '../../envelope/event-message.js';
import { type ConsumerLag, EventTransport } from '../../event-transport.js';
import type { EventsConfig } from '../../events.config.js';
import { EventConsumer } from '../../consumer/event-consumer.js';
import { EventServer, type ServiceHandlers } from '../../inbox/event-server.js';
import { tell } from '../../inbox/watcher.js';
import { Relay } from '../../relay/relay.js';
import { watchGroupOf } from './kafka-access.js';
import { type GroupHealth, KafkaGroup, type KafkaGroupOptions } from './kafka-group.js';
import { KafkaPublisher } from './kafka-publisher.js';
import { lagOf } from './kafka-lag.js';

export interface KafkaTransportOptions {
  config: EventsConfig;
  logger: Logger;
  /**
   * Called if a consumer has ended and cannot be restarted: the process must end, so that its supervisor restarts it.
   */
  onDeath: (error: Error) => void;
}

/**
 * A group that has not polled for this long counts as broken. A working group polls far more often, even if there is
 * nothing to receive.
 */
const SILENCE_LIMIT_MS = 15 * SECOND_MS;

interface Listening {
  groups: KafkaGroup[];
  durable?: EventConsumer;
  /** The services whose events the durable group reads. */
  producers: ServiceName[];
}

/**
 * Carries events over Kafka. Each service has one topic, in which each bucket is a partition. The durable consumers of
 * a service form a group named after the service; each watcher has its own group, which reads only new events.
 */
export class KafkaTransport extends EventTransport {
  private readonly publisher: KafkaPublisher;
  private readonly relays = new Map<ServiceName, Relay>();
  private readonly listening = new Map<ServiceName, Listening>();

  constructor(private readonly options: KafkaTransportOptions) {
    super();
    this.publisher = new KafkaPublisher(options.config);
  }

  async startRelay(producer: ServiceName, database: MaintenanceDatabase): Promise<void> {
    if (this.relays.has(producer)) throw new Error(`${producer} already has a relay`);
    const { logger } = this.options;
    const publish = (messages: EventMessage[]) => this.publisher.publish(messages);
    const counts = this.counts.of(producer);
    const relay = new Relay({ producer, database, logger, counts, publish });
    this.relays.set(producer, relay);
    relay.start();
  }

  async stopRelay(producer: ServiceName): Promise<void> {
    const relay = this.relays.get(producer);
    this.relays.delete(producer);
    await relay?.stop();
  }

  strategyFor(consumer: ServiceName, database: Database): CustomStrategy['strategy'] {
    return new EventServer({
      listen: (handlers) => this.listen(consumer, database, handlers),
      close: () => this.leave(consumer),
    });
  }

  async lag(consumer: ServiceName): Promise<ConsumerLag[]> {
    const producers = this.listening.get(consumer)?.producers ?? [];
    return producers.length === 0 ? [] : lagOf(this.options.config, consumer, producers);
  }

  wake(producer: ServiceName): void {
    this.relays.get(producer)?.wake();
  }

  /** Returns the state of every group that this process joins. */
  health(): GroupHealth[] {
    return [...this.listening.values()].flatMap(({ groups }) =>
      groups.map((each) => each.health()),
    );
  }

  /**
   * Checks the transport. @throws with the name of a group that receives nothing, or if the last events could not be
   * sent.
   */
  async check(): Promise<void> {
    if (this.publisher.isFailing) throw new Error('the brokers accept no events');
    for (const { group, isMember, lastPollAgeMs } of this.health()) {
      if (!isMember || lastPollAgeMs > SILENCE_LIMIT_MS)
        throw new Error(`${group} receives nothing`);
    }
  }

  /** Finishes current work and disconnects, each within 20 s. */
  async close(): Promise<void> {
    await Promise.all([...this.relays.values()].map((relay) => relay.stop()));
    this.relays.clear();
    await Promise.all([...this.listening.keys()].map((consumer) => this.leave(consumer)));
    await this.publisher.close();
  }

  private async listen(
    consumer: ServiceName,
    database: Database,
    { durable, watching }: ServiceHandlers,
  ): Promise<void> {
    const { logger } = this.options;
    const listening: Listening = { groups: [], producers: producersOf(durable) };
    this.listening.set(consumer, listening);
    if (durable.size > 0) {
      const counts = this.counts.of(consumer);
      const handlers = durable;
      const eventConsumer = new EventConsumer({ consumer, database, logger, counts, handlers });
      listening.durable = eventConsumer;
      const take = (messages: EventMessage[]) => eventConsumer.deliver(messages);
      listening.groups.push(this.group({ group: consumer, kind: 'durable', take }, durable));
      eventConsumer.start();
    }
    if (watching.size > 0) {
      const group = watchGroupOf(consumer, newId());
      const watcher = { service: consumer, handlers: watching, logger };
      const take = async (messages: EventMessage[]) => {
        for (const message of messages) void tell(watcher, message);
      };
      listening.groups.push(this.group({ group, kind: 'watching', take }, watching));
    }
    await Promise.all(listening.groups.map((group) => group.start()));
  }

  private group(
    options: Pick<KafkaGroupOptions, 'group' | 'kind' | 'take'>,
    handlers: ReadonlyMap<EventClass, unknown>,
  ): KafkaGroup {
    const topics = producersOf(handlers).map(topicOf);
    return new KafkaGroup({ ...this.options, ...options, topics });
  }

  private async leave(consumer: ServiceName): Promise<void> {
    const listening = this.listening.get(consumer);
    this.listening.delete(consumer);
    await Promise.all((listening?.groups ?? []).map((group) => group.close()));
    await listening?.durable?.stop();
  }
}

function producersOf(handlers: ReadonlyMap<EventClass, unknown>): ServiceName[] {
  return [...new Set([...handlers.keys()].map((each) => producerOf(describeEvent(each).type)))];
}
