import { expect, it, jest } from '@jest/globals';
import { SECOND_MS, freePorts, loadConfig, newId } from '#libs/platform';
import { EventsConfig } from '../../events.config.js';
import { KafkaPublisher } from './kafka-publisher.js';

it('a batch that could not be sent, and that this process does not try again, stops counting as a fault of the broker', async () => {
  const [port] = await freePorts(1);
  const publisher = new KafkaPublisher(
    loadConfig(EventsConfig, { KAFKA_BROKERS: `127.0.0.1:${port}` }),
  );
  const message = { id: newId(), topic: 'account.events', bucket: 1, key: newId(), body: '{}' };
  expect(publisher.isFailing).toBe(false);
  await expect(publisher.publish([message])).rejects.toThrow();
  expect(publisher.isFailing).toBe(true);
  const later = performance.now() + 20 * SECOND_MS;
  const now = jest.spyOn(performance, 'now').mockImplementation(() => later);
  expect(publisher.isFailing).toBe(false);
  now.mockRestore();
  await publisher.close();
});
