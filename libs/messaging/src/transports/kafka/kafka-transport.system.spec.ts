import { afterAll, beforeAll } from '@jest/globals';
import { transportContract } from '../transport.contract.js';
import { KafkaHarness } from './kafka-harness.contract.js';

const broker = new KafkaHarness();

broker.describe('over Kafka', () => {
  beforeAll(() => broker.createTopics());
  afterAll(() => broker.deleteTopics());

  transportContract('kafka', { open: async () => broker.open(), stepsBetweenDeaths: 3 });
});
