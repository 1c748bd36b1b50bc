import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, type RunningService, ServiceTokens, loadConfig } from '#libs/platform';
import { TestClock, TestDatabase, waitFor } from '#test/environment';
import { LookupConfig } from '../../apps/lookup/src/lookup.config.js';
import { startLookup } from '../../apps/lookup/src/start.js';
import type { RunningGateway } from '../../apps/gateway/src/start.js';
import { GatewayHarness } from '../stand-ins/gateway-harness.js';

const [OLD, NEW] = ['the-secret-that-was-there-before-it', 'the-secret-that-comes-in-its-place'];
const CLIENTS = 4;
const ANSWERS_BETWEEN = 40;
/** A lookup of a name that no registry serves, so that lookup answers without querying a server. */
const QUESTION = 'whois/live?domainName=name.example';

describe('rotating the secret that services share', () => {
  const gatewayClock = new TestClock();
  const lookupClock = new TestClock();
  let database: TestDatabase;
  let around: GatewayHarness;
  let lookup: RunningService;
  let gateway: RunningGateway;
  let file: string;

  beforeAll(async () => {
    database = await TestDatabase.create();
    around = new GatewayHarness(database);
    await around.start();
    [around.entitlement.defaultLimit, around.entitlement.defaultBalance] = [1e6, 1e6];
    file = join(around.folder, 'service_secret');
    hold(OLD);
    lookup = await startLookup({
      config: loadConfig(LookupConfig, { SERVICE_SECRET_FILE: file, LOOKUP_PORT: '0' }),
      clock: lookupClock,
      logger: new Logger('lookup', { write: () => undefined }),
    });
    const settings = { LOOKUP_URL: lookup.url, SERVICE_SECRET: '', SERVICE_SECRET_FILE: file };
    gateway = await around.startGateway(settings, gatewayClock);
  });
  afterAll(async () => {
    await around?.stop();
    await lookup?.stop();
    await database?.drop();
  });

  const hold = (...secrets: string[]) => writeFileSync(file, `${secrets.join('\n')}\n`);
  const askLookup = async (secret: string) => {
    const token = new ServiceTokens(secret, lookupClock).issue('gateway', 'lookup');
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${lookup.url}/internal/${QUESTION}`, { headers })).status;
  };

  it('S113: no call is refused, no matter which service takes each step first', async () => {
    const { apiKey } = around.account.addKey();
    const statuses: number[] = [];
    let isDone = false;
    const client = async () => {
      while (!isDone) {
        const answer = await fetch(`${gateway.apiUrl}/v2.0/${QUESTION}&apiKey=${apiKey}`);
        await answer.arrayBuffer();
        statuses.push(answer.status);
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    const furtherAnswers = async () => {
      const enough = statuses.length + ANSWERS_BETWEEN;
      await waitFor('further answers', () => statuses.length >= enough);
    };
    const rotations = [
      { from: OLD, to: NEW, order: [gatewayClock, lookupClock] },
      { from: NEW, to: OLD, order: [lookupClock, gatewayClock] },
    ];
    for (const { from, to, order } of rotations) {
      for (const secrets of [[from, to], [to, from], [to]]) {
        hold(...secrets);
        for (const clock of order) {
          clock.advance(5_000);
          await furtherAnswers();
        }
      }
    }
    isDone = true;
    await Promise.all(clients);
    expect(statuses.filter((status) => status !== 422)).toEqual([]);
  });

  it('S113: the old secret is refused once it is removed, and the new secret is accepted', async () => {
    expect([await askLookup(OLD), await askLookup(NEW)]).toEqual([422, 403]);
    hold(OLD, NEW);
    lookupClock.advance(5_000);
    expect([await askLookup(OLD), await askLookup(NEW)]).toEqual([422, 422]);
    hold(NEW);
    expect(await askLookup(OLD)).toBe(422);
    lookupClock.advance(5_000);
    expect([await askLookup(OLD), await askLookup(NEW)]).toEqual([403, 422]);
  });
});
