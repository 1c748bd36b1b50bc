import { describe } from '@jest/globals';
import { type Admin, type Kafka, type Message, Partitioners } from 'kafkajs';
import { Logger, newId } from '#libs/platform';
import { KAFKA_BROKERS, waitFor } from '#test/environment';
import { EventsConfig } from '../../events.config.js';
import { RecordingConsumer, type MessagingHarness } from '../messaging-harness.contract.js';
import { KafkaClient, withAdmin } from './kafka-client.js';
import { KafkaTransport } from './kafka-transport.js';
import { createTopics } from './kafka-topics.js';

/** A process of account and entitlement: relay and consumer with one transport. */
export interface KafkaProcess {
  transport: KafkaTransport;
  recorder: RecordingConsumer;
  stop(): Promise<void>;
}

/** Settings of a client that never retries. */
export const ONCE = { requestTimeout: 5_000, retry: { retries: 0 } };

/**
 * Returns the broker's answer: `allowed`, or the message of its error. Retries until a broker answers in time, because
 * a busy broker may take longer than the client allows, or disconnect.
 */
export const wordOf = (work: () => Promise<unknown>): Promise<string> =>
  waitFor('the answer of the broker', async () => {
    const word = await work().then(
      () => 'allowed',
      (error: Error) => error.message,
    );
    return /time(d )?out|closed/i.test(word) ? undefined : word;
  });

/** The broker of the test run, and names on it that no other spec uses. */
export class KafkaHarness {
  readonly config = Object.assign(new EventsConfig(), {
    kafkaBrokers: process.env[KAFKA_BROKERS]?.split(',') ?? [],
    kafkaPrefix: `${newId()}.`,
    kafkaTopicReplication: 1,
  });
  readonly deaths: Error[] = [];
  readonly lines: string[] = [];
  private readonly logger = new Logger('kafka', { write: (line) => void this.lines.push(line) });

  constructor(brokers?: readonly string[]) {
    if (brokers) this.config.kafkaBrokers = [...brokers];
  }

  /** Returns a `describe` that skips if there is no broker; the last lines of the run say why. */
  get describe(): typeof describe.skip {
    return this.config.kafkaBrokers.length > 0 ? describe : describe.skip;
  }

  /** Opens a transport in the state of a newly started process. */
  open(config: EventsConfig = this.config): KafkaTransport {
    const onDeath = (error: Error) => void this.deaths.push(error);
    return new KafkaTransport({ config, logger: this.logger, onDeath });
  }

  async start(
    messaging: MessagingHarness,
    recorder = new RecordingConsumer(),
  ): Promise<KafkaProcess> {
    const transport = this.open();
    const strategy = transport.strategyFor('entitlement', messaging.consumer);
    const app = await messaging.startConsumer(strategy, recorder);
    await transport.startRelay('account', messaging.maintenance);
    const stop = async () => {
      await app.close();
      await transport.close();
    };
    return { transport, recorder, stop };
  }

  /** Writes records without using our own code. */
  async write(topic: string, ...messages: Message[]): Promise<void> {
    const producer = this.kafka().producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.send({ topic: `${this.config.kafkaPrefix}${topic}`, messages });
    await producer.disconnect();
  }

  kafka(): Kafka {
    return new KafkaClient(this.config, { requestTimeout: 5_000, retry: { retries: 5 } }).kafka;
  }

  admin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    return withAdmin(this.config, work);
  }

  /** Returns the ids of a group's members, separated by commas. */
  async membersOf(group: string): Promise<string> {
    const { groups } = await this.admin((admin) =>
      admin.describeGroups([`${this.config.kafkaPrefix}${group}`]),
    );
    return groups[0].members.map(({ memberId }) => memberId).join(',');
  }

  async createTopics(): Promise<void> {
    await createTopics(this.config);
  }

  async deleteTopics(): Promise<void> {
    await withAdmin(this.config, async (admin) => {
      const names = await admin.listTopics();
      const own = names.filter((name) => name.startsWith(this.config.kafkaPrefix));
      await admin.deleteTopics({ topics: own });
    });
  }
}
