import { afterEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { Logger, loadConfig } from '#libs/platform';
import { EventsConfig } from '#libs/messaging';
import { waitFor } from '#test/environment';
import { KafkaGroup } from './kafka-group.js';

/** The number of connections of one member until it is replaced: the first one and three retries. */
const TRIES_OF_A_MEMBER = 4;

let server: Server | undefined;
afterEach(() => void server?.close());

it('unreachable brokers are named in one line, once, with the setting', async () => {
  let tries = 0;
  server = createServer((socket) => {
    tries++;
    socket.on('error', () => {});
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const brokers = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lines: string[] = [];
  const group = new KafkaGroup({
    config: loadConfig(EventsConfig, { KAFKA_BROKERS: brokers }),
    logger: new Logger('test', { write: (line: string) => void lines.push(line) }),
    group: 'gateway',
    topics: ['account'],
    kind: 'watching',
    take: async () => {},
    onDeath: () => {},
  });
  await group.start();
  await waitFor('a third member, after two have failed', () => tries > 2 * TRIES_OF_A_MEMBER);
  await group.close();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      msg: 'Kafka (KAFKA_BROKERS) does not answer: retried until it does',
      group: 'gateway',
      brokers,
    }),
  ]);
  expect(lines.join()).not.toContain('    at ');
});
