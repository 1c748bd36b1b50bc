import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeyChanged } from '#libs/contracts';
import {
  EventsConfig,
  InProcessTransport,
  KafkaTransport,
  Outbox,
  createTopics,
} from '#libs/messaging';
import { Logger, SystemClock, loadConfig, monotonicMs, newId } from '#libs/platform';
import { KAFKA_BROKERS, TestDatabase, waitFor } from '#test/environment';
import { GatewayConfig } from '../../apps/gateway/src/gateway.config.js';
import { type RunningGateway, startGateway } from '../../apps/gateway/src/start.js';
import { type RunningSolo, startSolo } from '../../apps/solo/src/solo.js';
import { GatewayHarness } from '../stand-ins/gateway-harness.js';
import { Customer } from '../stories/customer.js';
import { preparedFolder } from '../stories/deployment.js';

const WITH_EVENTS_MAX_MS = 1_000;
const WITHOUT_EVENTS_MAX_MS = 5_000;
const brokers = process.env[KAFKA_BROKERS]?.split(',') ?? [];
const logger = new Logger('gateway', { write: () => {} });
const clock = new SystemClock();
let names = 0;

async function statusOf({ apiUrl }: RunningGateway, apiKey: string): Promise<number> {
  const path = `/v2.0/whois/live?domainName=revoked-${++names}.com`;
  const answer = await fetch(apiUrl + path, { headers: { 'x-api-key': apiKey } });
  await answer.body?.cancel();
  return answer.status;
}

/** Returns the milliseconds from the revocation of a key until the last gateway refuses it. */
async function refusedAfterMs(
  gateways: RunningGateway[],
  apiKey: string,
  revoke: () => Promise<unknown>,
): Promise<number> {
  // A known key may have used up its rate limit.
  for (const gateway of gateways) expect([200, 429]).toContain(await statusOf(gateway, apiKey));
  await revoke();
  const revokedMs = monotonicMs();
  const refusals = gateways.map((gateway) =>
    waitFor('401', async () => (await statusOf(gateway, apiKey)) === 401),
  );
  await Promise.all(refusals);
  return monotonicMs() - revokedMs;
}

(brokers.length > 0 ? describe : describe.skip)('two gateways with a broker', () => {
  const COUNT = 100;
  const transports: KafkaTransport[] = [];
  let database: TestDatabase;
  let around: GatewayHarness;
  let gateways: RunningGateway[];

  const openTransport = () => {
    const transport = new KafkaTransport({ config, logger, onDeath: () => {} });
    transports.push(transport);
    return transport;
  };
  const config = Object.assign(new EventsConfig(), {
    kafkaBrokers: brokers,
    kafkaPrefix: `${newId()}.`,
    kafkaTopicReplication: 1,
  });

  beforeAll(async () => {
    database = await TestDatabase.create();
    around = new GatewayHarness(database);
    await around.start();
    await createTopics(config);
    const start = async (_: unknown, place: number) => {
      const settings = {
        GATEWAY_JOURNAL: join(around.folder, `leases.${place}.journal`),
        // Each revoked key is refused once by each gateway.
        GATEWAY_FAILED_KEYS_MAX: '10000',
      };
      return around.startGateway(settings, clock, openTransport());
    };
    gateways = await Promise.all(Array.from({ length: 2 }, start));
    await openTransport().startRelay('account', await database.maintenance('account'));
  });
  afterAll(async () => {
    await around?.stop();
    for (const transport of transports) await transport.close();
    await database?.drop();
  });

  it(`S13: 99 of ${COUNT} revoked keys are refused by both gateways within a second, by events alone`, async () => {
    const account = await database.service('account');
    const outbox = new Outbox('account', clock, transports.at(-1)!);
    const takenMs: number[] = [];
    for (let n = 0; n <= COUNT; n++) {
      const { apiKey, keyRecord } = around.account.addKey();
      const { accountId: key, keyId } = keyRecord;
      const revoke = async () => {
        keyRecord.state = 'revoked';
        await account.transaction(async (transaction) => {
          const lock = await outbox.lock(transaction, { key, aggregate: `account:${key}` });
          await outbox.add(transaction, lock, ApiKeyChanged, { keyId, state: 'revoked' });
        });
      };
      const tookMs = await refusedAfterMs(gateways, apiKey, revoke);
      // The first one waits until both gateways have joined their groups.
      if (n > 0) takenMs.push(tookMs);
    }
    const [p99Ms] = takenMs.toSorted((one, other) => one - other).slice(COUNT * 0.99 - 1);
    expect(p99Ms).toBeLessThan(WITH_EVENTS_MAX_MS);
  });
});

describe('gateways that no event reaches', () => {
  const COUNT = 20;
  let folder: string;
  let solo: RunningSolo;
  const gateways: RunningGateway[] = [];

  beforeAll(async () => {
    folder = await preparedFolder();
    const log = { path: join(folder, 'story.log'), write: () => {} };
    const ports = { apiPort: 0, dashboardPort: 0 };
    // All services share this process, so a busy machine must not count as an outage of one of them.
    const overrides = { GATEWAY_LOOP_DELAY_MAX_MS: '60000', GATEWAY_SERVICES_TIMEOUT_MS: '30000' };
    const given = { dataFolder: folder, ...ports, offline: true, durable: false, overrides, log };
    solo = await startSolo(given);
    for (const name of ['first', 'second']) {
      const config = loadConfig(GatewayConfig, {
        ...solo.settings,
        API_PORT: '0',
        DASHBOARD_PORT: '0',
        GATEWAY_JOURNAL: join(folder, `${name}.journal`),
      });
      const transport = new InProcessTransport({ logger, consumers: { account: ['gateway'] } });
      gateways.push(await startGateway({ config, clock, logger, transport }));
    }
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.stop();
    await solo?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(`S13: ${COUNT} revoked keys are refused within five seconds by gateways that receive no events`, async () => {
    const origins = { ...solo, mailboxUrl: `${solo.dashboardUrl}/mailbox` };
    const customer = new Customer(origins, 'rotating@revoked.example');
    await customer.joinWithCredits();
    const { body } = await customer.call('GET', '/api/keys');
    const keys = body.keys as { id: string; environment: string }[];
    let { id } = keys.find(({ environment }) => environment === 'live')!;
    const takenMs: number[] = [];
    for (let n = 0; n < COUNT; n++) {
      let next = '';
      const rotate = async () => {
        const path = `/api/keys/${id}/rotate`;
        const answer = await customer.call('POST', path, { overlap: 'now' });
        ({ id, key: next } = answer.body as { id: string; key: string });
      };
      takenMs.push(await refusedAfterMs(gateways, customer.key, rotate));
      customer.key = next;
    }
    expect(Math.max(...takenMs)).toBeLessThan(WITHOUT_EVENTS_MAX_MS);
  });
});
