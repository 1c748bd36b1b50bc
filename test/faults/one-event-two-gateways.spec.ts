import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { request } from 'undici';
import type { RunningGateway } from '../../apps/gateway/src/start.js';
import { ApiKeyChanged } from '#libs/contracts';
import { EventsConfig, KafkaTransport, Outbox, createTopics } from '#libs/messaging';
import { Logger, SystemClock, newId } from '#libs/platform';
import { KAFKA_BROKERS, TestDatabase, waitFor } from '#test/environment';
import { GatewayHarness } from '../stand-ins/gateway-harness.js';

const brokers = process.env[KAFKA_BROKERS]?.split(',') ?? [];
const here = brokers.length > 0 ? describe : describe.skip;
const config = Object.assign(new EventsConfig(), {
  kafkaBrokers: brokers,
  kafkaPrefix: `${newId()}.`,
  kafkaTopicReplication: 1,
});
const transports: KafkaTransport[] = [];
let database: TestDatabase;
let around: GatewayHarness;
let gateways: RunningGateway[];
let asked = 0;

function openTransport(): KafkaTransport {
  const logger = new Logger('kafka', { write: () => {} });
  const transport = new KafkaTransport({ config, logger, onDeath: () => {} });
  transports.push(transport);
  return transport;
}

/**
 * Waits until each gateway has fetched from the broker, for which a start waits only 3 s. Only the change feed would
 * inform a gateway of events before its first fetch, and this test has no change feed.
 */
async function untilTheyListen(): Promise<void> {
  const startedMs = performance.now();
  const groups = () => transports.flatMap((transport) => transport.health());
  await waitFor('every group to have fetched', () => {
    const sinceMs = performance.now() - startedMs;
    return groups().every((group) => group.isMember && group.lastPollAgeMs < sinceMs);
  });
}

async function statusesFor(apiKey: string): Promise<number[]> {
  const ask = async ({ apiUrl }: RunningGateway) => {
    const path = `/v2.0/whois/live?domainName=name${asked++}.example`;
    const { statusCode, body } = await request(apiUrl + path, { headers: { 'x-api-key': apiKey } });
    await body.dump();
    return statusCode;
  };
  return Promise.all(gateways.map(ask));
}

here('two gateways and a broker', () => {
  beforeAll(async () => {
    database = await TestDatabase.create();
    around = new GatewayHarness(database);
    await around.start();
    await createTopics(config);
    const start = async (_: unknown, place: number) => {
      const settings = { GATEWAY_JOURNAL: join(around.folder, `leases.${place}.journal`) };
      return around.startGateway(settings, new SystemClock(), openTransport());
    };
    gateways = await Promise.all(Array.from({ length: 2 }, start));
    await untilTheyListen();
    await openTransport().startRelay('account', await database.maintenance('account'));
  });

  afterAll(async () => {
    await around?.stop();
    for (const transport of transports) await transport.close();
    await database?.drop();
  });

  it('S13: the event of a revoked key reaches every gateway, even without a change feed', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    expect(await statusesFor(apiKey)).toEqual([200, 200]);
    keyRecord.state = 'revoked';
    // Both gateways still answer from their caches, because no event has reached them.
    expect(await statusesFor(apiKey)).toEqual([200, 200]);
    const { accountId: key, keyId } = keyRecord!;
    const account = await database.service('account');
    const outbox = new Outbox('account', new SystemClock(), transports.at(-1)!);
    await account.transaction(async (transaction) => {
      const lock = await outbox.lock(transaction, { key, aggregate: `account:${key}` });
      await outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'revoked' });
    });
    const isRefused = async () => (await statusesFor(apiKey)).every((status) => status === 401);
    await waitFor('both to refuse it', isRefused);
  });
});
