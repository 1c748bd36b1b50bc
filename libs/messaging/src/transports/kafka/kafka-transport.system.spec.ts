import { afterAll, beforeAll } from '@jest/globals';
import { transportContract } from '../transport.contract.js';
import { KafkaStage } from './kafka-stage.contract.js';

const broker = new KafkaStage();

broker.describe('over Kafka', () => {
  beforeAll(() => broker.createTopics());
  afterAll(() => broker.deleteTopics());

  transportContract('kafka', { open: async () => broker.open(), stepsBetweenDeaths: 3 });
});
