import type { CustomStrategy } from '@nestjs/microservices';
import type { Database, MaintenanceDatabase } from '#libs/database';
import type { ServiceName } from '#libs/platform';
import { EventCounts } from './telemetry/event-counts.js';

export interface ConsumerLag {
  producer: ServiceName;
  events: number;
}

/**
 * The port that carries events between services: in-process over the outbox tables on one machine, Kafka on many.
 * Each implementation passes the contract suite in `transports/`.
 */
export abstract class EventTransport {
  /**
   * Counts of the events that services on this transport have published and received; given to their relays and
   * consumers.
   */
  readonly counts = new EventCounts();

  /**
   * Starts to relay the outbox of a producer. From then on, the consumers of other services receive its events.
   * @param database the producer's maintenance role.
   */
  abstract startRelay(producer: ServiceName, database: MaintenanceDatabase): Promise<void>;

  /** Stops the relay of a producer before its database is closed; does nothing if there is none. */
  abstract stopRelay(producer: ServiceName): Promise<void>;

  /**
   * Returns the Nest strategy that feeds the consumers of one service. `consumer` names the durable group; inbox rows
   * and failed events are kept in `database` (the consumer's own service role).
   */
  abstract strategyFor(consumer: ServiceName, database: Database): CustomStrategy['strategy'];

  /** Counts, by producer, the events that a durable consumer has neither handled nor stored as failed, for metrics. */
  abstract lag(consumer: ServiceName): Promise<ConsumerLag[]>;

  /** Makes the relay of a producer poll now rather than at its next turn. */
  abstract wake(producer: ServiceName): void;

  /** Checks the transport. @throws if events cannot be sent or received right now; they then wait. */
  abstract check(): Promise<void>;

  /** Stops relays and consumers after their current work is finished. */
  abstract close(): Promise<void>;
}
