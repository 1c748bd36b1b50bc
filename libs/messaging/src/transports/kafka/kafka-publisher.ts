import type { Message, Producer } from 'kafkajs';
import { SECOND_MS, monotonicMs } from '#libs/platform';
import type { EventMessage } from '../../envelope/event-message.js';
import type { EventsConfig } from '../../events.config.js';
import { withinTime } from '../../inbox/time-limit.js';
import { KafkaClient } from './kafka-client.js';
import { toRecord } from './kafka-record.js';

/**
 * The time limit of a send. A relay's lease lasts at least this long after the relay has read; a later send could come
 * from a fenced owner.
 */
const SEND_LIMIT_MS = 3 * SECOND_MS;
const REQUEST_LIMIT_MS = 2 * SECOND_MS;
/**
 * How long sends count as failing after a failure. A relay that still has the batch tries again sooner; otherwise,
 * another process has sent the batch.
 */
const FAILING_FOR_MS = 15 * SECOND_MS;
/** The size limit of a request. By default, a broker accepts 1 MiB per partition and request. */
const REQUEST_LIMIT_BYTES = 512 * 1024;

interface OpenProducer {
  client: KafkaClient;
  producer: Producer;
  connected: Promise<void>;
}

/**
 * Sends a relay's batches. It does not use kafkajs' idempotent producer: after a rejected send, that producer reports a
 * later batch as sent although the batch never reached the topic. Duplicates are harmless here.
 */
export class KafkaPublisher {
  private open: OpenProducer | undefined;
  private isClosed = false;
  private failedAtMs = -Infinity;

  constructor(private readonly config: EventsConfig) {}

  /** Whether a batch could not be delivered a moment ago. */
  get isFailing(): boolean {
    return monotonicMs() - this.failedAtMs < FAILING_FOR_MS;
  }

  /**
   * Resolves once every in-sync replica has the messages, in order. There is one attempt, because the relay retries.
   * @throws within 3 s; a send that is still running is aborted.
   */
  async publish(messages: EventMessage[]): Promise<void> {
    if (this.isClosed) throw new Error('the publisher is closed');
    this.open ??= this.connect();
    const { open } = this;
    const topic = `${this.config.kafkaPrefix}${messages[0].topic}`;
    try {
      await withinTime(send(open, topic, messages.map(toRecord)), SEND_LIMIT_MS, 'the send');
      this.failedAtMs = -Infinity;
    } catch (error) {
      this.failedAtMs = monotonicMs();
      // Queued messages would be sent later than the relay may send. A responsive broker has no queue.
      if (!isAnswer(error)) this.discard(open);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.open) this.discard(this.open);
  }

  private connect(): OpenProducer {
    const client = new KafkaClient(this.config, {
      requestTimeout: REQUEST_LIMIT_MS,
      // Two retries are enough to try each of three configured brokers.
      retry: { retries: 2, initialRetryTime: 50, maxRetryTime: 200 },
    });
    const producer = client.kafka.producer({
      allowAutoTopicCreation: false,
      idempotent: false,
      maxInFlightRequests: 1,
      retry: { retries: 0 },
    });
    const connected = producer.connect();
    return { client, producer, connected };
  }

  private discard(open: OpenProducer): void {
    if (this.open === open) this.open = undefined;
    open.client.cut();
    open.producer.disconnect().catch(() => {});
  }
}

async function send(open: OpenProducer, topic: string, records: Message[]): Promise<void> {
  await open.connected;
  for (const messages of requestsOf(records)) {
    await open.producer.send({ topic, messages, acks: -1, timeout: REQUEST_LIMIT_MS });
  }
}

/**
 * Whether a broker answered with a rejection, for example because a partition is changing its leader; other partitions
 * can continue.
 */
function isAnswer(error: unknown): boolean {
  const { name, cause } = error as Error;
  return (
    name === 'KafkaJSProtocolError' || (cause as Error | undefined)?.name === 'KafkaJSProtocolError'
  );
}

function requestsOf(records: Message[]): Message[][] {
  const requests: Message[][] = [[]];
  let sizeBytes = 0;
  for (const record of records) {
    const recordBytes = record.value?.length ?? 0;
    if (sizeBytes + recordBytes > REQUEST_LIMIT_BYTES && sizeBytes > 0) {
      requests.push([]);
      sizeBytes = 0;
    }
    requests.at(-1)?.push(record);
    sizeBytes += recordBytes;
  }
  return requests;
}
