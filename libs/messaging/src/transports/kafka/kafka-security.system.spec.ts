import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Kafka } from 'kafkajs';
import { newId } from '#libs/platform';
import { KafkaBroker, OwnAuthority, makeOwnCertificate, waitFor } from '#test/environment';
import { EventsConfig } from '../../events.config.js';
import {
  Counted,
  RecordingConsumer,
  MessagingHarness,
  quietLogger,
} from '../messaging-harness.contract.js';
import { grantAccess } from './kafka-access.js';
import { KafkaClient, withAdmin } from './kafka-client.js';
import { KafkaHarness, ONCE, wordOf } from './kafka-harness.contract.js';
import { UnfitTopic, createTopics } from './kafka-topics.js';
import { KafkaTransport } from './kafka-transport.js';

const PASSWORDS = {
  admin: 'an-admin-password',
  account: 'an-account-password',
  entitlement: 'an-entitlement-password',
};

/** A user that the broker accepts only with the mechanism PLAIN. */
const PLAIN = { partner: 'a-plain-password' };

new KafkaHarness().describe('a broker with authentication', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dds-secured-'));
  let broker: KafkaBroker;
  let authority: string;

  beforeAll(async () => {
    const tls = makeOwnCertificate(folder, 'broker');
    authority = tls.authority;
    broker = await KafkaBroker.start({ folder, tls, sasl: PASSWORDS, plain: PLAIN });
    await createTopics(configOf('admin'));
    await grantAccess(configOf('admin'), {
      account: [],
      entitlement: ['account', 'billing'],
    });
  });
  afterAll(async () => {
    await broker.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function configOf(user: keyof typeof PASSWORDS, more: Partial<EventsConfig> = {}): EventsConfig {
    return Object.assign(new EventsConfig(), {
      kafkaBrokers: broker.brokers,
      kafkaTls: true,
      kafkaTlsCa: authority,
      kafkaSaslUsername: user,
      kafkaSaslPassword: PASSWORDS[user],
      kafkaTopicReplication: 1,
      ...more,
    });
  }
  async function describes(config: EventsConfig): Promise<void> {
    const client = new KafkaClient(config, ONCE);
    const admin = client.kafka.admin();
    try {
      await admin.connect();
      await admin.describeCluster();
    } finally {
      client.cut();
    }
  }
  async function readsFirst(kafka: Kafka, topic: string): Promise<void> {
    const reader = kafka.consumer({ groupId: 'account', retry: { retries: 0 } });
    const read = new Promise<void>((resolve, reject) => {
      reader.on(reader.events.CRASH, ({ payload }) => reject(payload.error));
      reader.on(reader.events.FETCH, () => resolve());
    });
    read.catch(() => {});
    try {
      await reader.connect();
      await reader.subscribe({ topic });
      await reader.run({ eachBatch: async () => {} });
      await read;
    } finally {
      await reader.disconnect();
    }
  }

  it('S112: a plain connection, a wrong password and a broker of another authority are refused', async () => {
    const reasonWith = (more: Partial<EventsConfig>) =>
      wordOf(() => describes(configOf('account', more)));
    expect(await reasonWith({})).toBe('allowed');
    // Neither error has a name that would let a client recognise it.
    await expect(describes(configOf('account', { kafkaTls: false }))).rejects.toThrow();
    await expect(
      describes(configOf('account', { kafkaSaslUsername: undefined })),
    ).rejects.toThrow();
    expect(await reasonWith({ kafkaSaslPassword: PASSWORDS.admin })).toMatch(
      /authentication failed/i,
    );
    const other = makeOwnCertificate(folder, 'other').authority;
    expect(await reasonWith({ kafkaTlsCa: other })).toMatch(/self-signed certificate/);
  });

  it('S112: a PLAIN user logs in with the right password only', async () => {
    const reasonWith = (more: Partial<EventsConfig>) =>
      wordOf(() =>
        describes(
          configOf('account', {
            kafkaSaslUsername: 'partner',
            kafkaSaslPassword: PLAIN.partner,
            kafkaSaslMechanism: 'plain',
            ...more,
          }),
        ),
      );
    expect(await reasonWith({})).toBe('allowed');
    expect(await reasonWith({ kafkaSaslPassword: PASSWORDS.account })).toMatch(
      /authentication failed/i,
    );
    expect(await reasonWith({ kafkaSaslMechanism: 'scram-sha-512' })).toMatch(
      /authentication failed/i,
    );
  });

  it('S112: a broker that requires certificates accepts only certificates of its authority, including renewed ones', async () => {
    const own = join(folder, 'mutual');
    mkdirSync(own);
    const tls = makeOwnCertificate(own, 'mutual');
    const [ours, others] = ['ours', 'others'].map((name) => new OwnAuthority(join(own, name)));
    const mutual = await KafkaBroker.start({
      folder: own,
      tls: { ...tls, clientAuthority: ours.text },
    });
    const kafkaTlsFolder = ours.issue('account');
    const config = configOf('account', {
      kafkaBrokers: mutual.brokers,
      kafkaTlsCa: tls.authority,
      kafkaSaslUsername: undefined,
      kafkaTlsFolder,
    });
    const words = [await wordOf(() => describes(config))];
    ours.issue('account', kafkaTlsFolder);
    words.push(await wordOf(() => describes(config)));
    expect(words).toEqual(['allowed', 'allowed']);
    const refused = [undefined, others.issue('account')].map((given) =>
      describes(Object.assign(new EventsConfig(), config, { kafkaTlsFolder: given })),
    );
    for (const attempt of refused) await expect(attempt).rejects.toThrow();
    await mutual.stop();
  });

  it('S112: account reads no topic of billing and writes only its own', async () => {
    const client = new KafkaClient(configOf('account'), ONCE);
    const producer = client.kafka.producer({ retry: { retries: 0 } });
    const say = (topic: string) =>
      wordOf(async () => {
        await producer.connect();
        await producer.send({ topic, messages: [{ value: 'x' }] });
      });
    // The controller answers before its rules have reached the broker.
    await waitFor('its own', async () => (await say('account.events')) === 'allowed');
    expect(await say('billing.events')).toMatch(/not authorized/i);
    expect(await wordOf(() => readsFirst(client.kafka, 'billing.events'))).toMatch(
      /not authorized/i,
    );
    client.cut();
  });

  it('S112: services with their own users and rules publish and consume events', async () => {
    const messaging = await MessagingHarness.open();
    const deaths: Error[] = [];
    const open = (user: 'account' | 'entitlement') =>
      new KafkaTransport({
        config: configOf(user),
        logger: quietLogger,
        onDeath: (error) => deaths.push(error),
      });
    const [account, entitlement] = [open('account'), open('entitlement')];
    const strategy = entitlement.strategyFor('entitlement', messaging.consumer);
    const app = await messaging.startConsumer(strategy, new RecordingConsumer());
    await account.startRelay('account', messaging.maintenance);
    const key = newId();
    await messaging.say(Counted, key, { n: 1 });
    await waitFor('the event', async () => (await messaging.heard(key)).length === 1);
    // A group that has not been joined yet could not be deleted again.
    await waitFor('all members', () => entitlement.health().every(({ isMember }) => isMember));
    await app.close();
    await Promise.all([account.close(), entitlement.close()]);
    const groups = await withAdmin(configOf('admin'), (admin) => admin.listGroups());
    expect(groups.groups.map(({ groupId }) => groupId)).toEqual(['entitlement']);
    expect(deaths).toEqual([]);
    await messaging.close();
  });

  describe('topics', () => {
    it('topics are created once, with settings that keep an acknowledged event', async () => {
      const config = configOf('admin', { kafkaPrefix: `${newId()}.` });
      const [first, second] = await Promise.all([createTopics(config), createTopics(config)]);
      expect(new Set([...first, ...second])).toContain(`${config.kafkaPrefix}account.events`);
      expect(await createTopics(config)).toEqual([]);
      const { resources } = await withAdmin(config, (admin) =>
        admin.describeConfigs({
          includeSynonyms: false,
          resources: [{ type: 2, name: `${config.kafkaPrefix}account.events` }],
        }),
      );
      const entries = resources[0].configEntries.map(({ configName, configValue }) => [
        configName,
        configValue,
      ]);
      expect(Object.fromEntries(entries)).toMatchObject({
        'retention.ms': '604800000',
        'cleanup.policy': 'delete',
        'min.insync.replicas': '1',
        'unclean.leader.election.enable': 'false',
      });
    });

    it('topics with another number of partitions are named and rejected, because the order of events depends on that number', async () => {
      const config = configOf('admin', { kafkaPrefix: `${newId()}.` });
      const topic = `${config.kafkaPrefix}account.events`;
      await withAdmin(config, (admin) =>
        admin.createTopics({
          topics: [{ topic, numPartitions: 12, replicationFactor: 1 }],
          waitForLeaders: false,
        }),
      );
      const refused = createTopics(config);
      await expect(refused).rejects.toThrow(UnfitTopic);
      await expect(refused).rejects.toThrow(`${topic} has 12 partitions where 16 are needed`);
    });
  });
});
