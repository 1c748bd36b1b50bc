import { type Logger, SECOND_MS } from '#libs/platform';
import type { EventTransport } from './event-transport.js';
import type { EventsConfig } from './events.config.js';
import {
  type EventConsumers,
  InProcessTransport,
} from './transports/in-process/in-process-transport.js';
import { KafkaTransport } from './transports/kafka/kafka-transport.js';

export interface OpenTransportOptions {
  config: EventsConfig;
  logger: Logger;
  /**
   * The durable consumers of each producer. Only the transport within this process needs this list; Kafka stores its
   * groups itself.
   */
  consumers?: EventConsumers;
}

/** Opens Kafka's transport if brokers are configured; otherwise, events stay within this process. */
export function openTransport({ config, logger, consumers }: OpenTransportOptions): EventTransport {
  if (config.kafkaBrokers.length === 0) return new InProcessTransport({ logger, consumers });
  const onDeath = (error: Error) => endProcess(logger, error);
  return new KafkaTransport({ config, logger, onDeath });
}

const DRAIN_LIMIT_MS = 40 * SECOND_MS;

/**
 * Ends the process, which its supervisor then restarts; otherwise, the process would receive no events but look
 * healthy.
 */
function endProcess(logger: Logger, error: Error): void {
  logger.error('a consumer of events has ended permanently: the process ends', error);
  process.exitCode = 1;
  setTimeout(() => process.exit(), DRAIN_LIMIT_MS).unref();
  process.kill(process.pid, 'SIGTERM');
}
