import { expect, it } from '@jest/globals';
import { Logger, loadConfig } from '#libs/platform';
import { EventsConfig } from '#libs/messaging';
import { KafkaGroup } from './kafka-group.js';

it('brokers that nobody answers at are named in one line, once, with the setting', async () => {
  const lines: string[] = [];
  const group = new KafkaGroup({
    config: loadConfig(EventsConfig, { KAFKA_BROKERS: '127.0.0.1:1' }),
    logger: new Logger('test', { write: (line: string) => void lines.push(line) }),
    group: 'gateway',
    topics: ['account'],
    kind: 'ephemeral',
    take: async () => {},
    onDeath: () => {},
  });
  // Waits as long as the start of a service does, which is several tries.
  await group.start();
  await group.close();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      msg: 'Kafka (KAFKA_BROKERS) does not answer: tried again until it does',
      group: 'gateway',
      brokers: '127.0.0.1:1',
    }),
  ]);
  expect(lines.join()).not.toContain('    at ');
});
