import { describe } from '@jest/globals';
import { newId } from '#libs/platform';
import { KAFKA_BROKERS } from '#libs/testing';
import { EventsConfig } from '../../events.config.js';
import { quietLogger } from '../stage.contract.js';
import { KafkaTransport } from './kafka-transport.js';
import { createTopics, withAdmin } from './kafka-topics.js';

/** The run's broker, and names on it that no other spec has. */
export class KafkaStage {
  readonly config = Object.assign(new EventsConfig(), {
    kafkaBrokers: process.env[KAFKA_BROKERS]?.split(',') ?? [],
    kafkaPrefix: `${newId()}.`,
    kafkaTopicReplication: 1,
  });
  /** Consumers that died for good. */
  readonly deaths: Error[] = [];

  /** Skips where there is no broker; the run's last lines say why. */
  get describe(): typeof describe.skip {
    return this.config.kafkaBrokers.length > 0 ? describe : describe.skip;
  }

  /** As a newly started process has it. */
  open(config: EventsConfig = this.config): KafkaTransport {
    const onDeath = (error: Error) => void this.deaths.push(error);
    return new KafkaTransport({ config, logger: quietLogger, onDeath });
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
