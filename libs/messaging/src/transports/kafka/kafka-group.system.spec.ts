import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { PartitionAssigners } from 'kafkajs';
import { Logger, loadConfig } from '#libs/platform';
import { EventsConfig } from '#libs/messaging';
import { waitFor } from '#test/environment';
import { topicOf } from '../../envelope/bucket.js';
import { KafkaGroup } from './kafka-group.js';
import { KafkaHarness } from './kafka-harness.contract.js';

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

const broker = new KafkaHarness();

broker.describe('in a group with other members', () => {
  beforeAll(() => broker.createTopics());
  afterAll(() => broker.deleteTopics());

  it('a member waits until the session of a leader that has not assigned the partitions expires', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const leader = broker.kafka().consumer({
      groupId: `${broker.config.kafkaPrefix}gateway`,
      // The least that a broker accepts by default.
      sessionTimeout: 6_000,
      // kafkajs sends heartbeats between fetches, and by default a fetch lasts almost as long as this session.
      heartbeatInterval: 500,
      maxWaitTimeInMs: 100,
      partitionAssigners: [
        (given) => {
          const assigner = PartitionAssigners.roundRobin(given);
          const assign: typeof assigner.assign = async (group) => {
            if (group.members.length > 1) {
              ask();
              await ended;
            }
            return assigner.assign(group);
          };
          return { ...assigner, assign };
        },
      ],
    });
    await leader.connect();
    const topic = topicOf('account');
    await leader.subscribe({ topics: [`${broker.config.kafkaPrefix}${topic}`] });
    const joined = new Promise((resolve) => leader.on(leader.events.GROUP_JOIN, resolve));
    await leader.run({ eachMessage: async () => {} });
    await joined;
    const lines: string[] = [];
    const group = new KafkaGroup({
      config: broker.config,
      logger: new Logger('test', { write: (line: string) => void lines.push(line) }),
      group: 'gateway',
      topics: [topic],
      kind: 'durable',
      take: async () => {},
      onDeath: (error) => void lines.push(error.message),
    });
    await group.start();
    await asked;
    await waitFor('the other member to join', () => group.health().isMember);
    end();
    await Promise.all([group.close(), leader.disconnect()]);
    expect(lines).toEqual([]);
  });

  it('a member that the group refuses keeps its process running, and joins as soon as the group accepts it', async () => {
    const group = 'mixed';
    const other = broker.kafka().consumer({
      groupId: `${broker.config.kafkaPrefix}${group}`,
      maxWaitTimeInMs: 100,
      // A protocol that our members do not support, as another release might use.
      partitionAssigners: [(given) => ({ ...PartitionAssigners.roundRobin(given), name: 'other' })],
    });
    await other.connect();
    const topic = topicOf('account');
    await other.subscribe({ topics: [`${broker.config.kafkaPrefix}${topic}`] });
    const joined = new Promise((resolve) => other.on(other.events.GROUP_JOIN, resolve));
    await other.run({ eachMessage: async () => {} });
    await joined;
    const lines: string[] = [];
    const deaths: Error[] = [];
    const ours = new KafkaGroup({
      config: broker.config,
      logger: new Logger('test', { write: (line: string) => void lines.push(line) }),
      group,
      topics: [topic],
      kind: 'durable',
      take: async () => {},
      onDeath: (error) => void deaths.push(error),
    });
    await ours.start();
    await waitFor('a refusal', () => lines.length + deaths.length > 0);
    expect([ours.health().isMember, deaths]).toEqual([false, []]);
    await other.disconnect();
    await waitFor('its membership', () => ours.health().isMember);
    await ours.close();
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      expect.stringContaining('retries until it joins'),
      expect.stringContaining('has joined'),
    ]);
  });
});
