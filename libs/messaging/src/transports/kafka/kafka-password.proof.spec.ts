import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { type Loop, followFiles, loadConfig, newId } from '#libs/platform';
import { KafkaBroker, makeOwnCertificate, waitFor } from '#test/environment';
import { EventsConfig } from '../../events.config.js';
import {
  Counted,
  MessagingHarness,
  RecordingConsumer,
  quietLogger,
} from '../messaging-harness.contract.js';
import { grantAccess } from './kafka-access.js';
import { KafkaClient } from './kafka-client.js';
import { KafkaHarness, ONCE, wordOf } from './kafka-harness.contract.js';
import { createTopics } from './kafka-topics.js';
import { KafkaTransport } from './kafka-transport.js';

/** The broker starts twice, which takes a long time. */
jest.setTimeout(900_000);

const PASSWORDS = {
  admin: 'an-admin-password',
  account: 'an-account-password',
  entitlement: 'an-entitlement-password',
};
const NEXT = 'the-next-password';
const EVERY_MS = 20;

new KafkaHarness().describe('a password that is changed at the broker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dds-password-'));
  const following: Loop[] = [];
  let broker: KafkaBroker;
  let authority: string;

  beforeAll(async () => {
    const tls = makeOwnCertificate(folder, 'broker');
    authority = tls.authority;
    broker = await KafkaBroker.start({ folder, tls, sasl: PASSWORDS });
    await createTopics(configOf('admin'));
    await grantAccess(configOf('admin'), { account: [], entitlement: ['account'] });
  });
  afterAll(async () => {
    await Promise.all(following.map((loop) => loop.stop()));
    await broker?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const fileOf = (user: string) => join(folder, `${user}_kafka_sasl_password`);
  function configOf(user: keyof typeof PASSWORDS): EventsConfig {
    writeFileSync(fileOf(user), PASSWORDS[user]);
    const environment = {
      KAFKA_BROKERS: broker.brokers.join(),
      KAFKA_TLS: 'true',
      KAFKA_SASL_USERNAME: user,
      KAFKA_SASL_PASSWORD_FILE: fileOf(user),
    };
    const config = loadConfig(EventsConfig, environment);
    Object.assign(config, { kafkaTlsCa: authority, kafkaTopicReplication: 1 });
    const options = { logger: quietLogger, environment, everyMs: EVERY_MS };
    following.push(followFiles([config], options));
    return config;
  }
  const wordFor = (config: EventsConfig) =>
    wordOf(async () => {
      const client = new KafkaClient(config, ONCE);
      await client.kafka
        .admin()
        .connect()
        .finally(() => client.cut());
    });

  it('S113: a service still publishes and consumes after the old passwords have been removed', async () => {
    const old = { ...configOf('account') };
    const stage = await MessagingHarness.open();
    const deaths: Error[] = [];
    const open = (config: EventsConfig) =>
      new KafkaTransport({ config, logger: quietLogger, onDeath: (error) => deaths.push(error) });
    const account = open(configOf('account'));
    const entitlement = open(configOf('entitlement'));
    const strategy = entitlement.strategyFor('entitlement', stage.consumer);
    const app = await stage.startConsumer(strategy, new RecordingConsumer());
    await account.startRelay('account', stage.maintenance);
    const arrives = async (n: number) => {
      const key = newId();
      await stage.say(Counted, key, { n });
      await waitFor('the event', async () => (await stage.heard(key)).length === 1);
    };
    await arrives(1);
    for (const user of ['account', 'entitlement']) {
      await broker.changePassword(user, NEXT);
      writeFileSync(fileOf(user), NEXT);
    }
    // Connections that were open under the old passwords end.
    await broker.restart();
    expect(await wordFor(Object.assign(new EventsConfig(), old))).toMatch(/authentication failed/i);
    await arrives(2);
    await app.close();
    await Promise.all([account.close(), entitlement.close()]);
    expect(deaths).toEqual([]);
    await stage.close();
  });
});
