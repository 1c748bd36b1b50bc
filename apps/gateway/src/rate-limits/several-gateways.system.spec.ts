import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Valkey } from 'iovalkey';
import { join } from 'node:path';
import { request } from 'undici';
import { TestDatabase, ValkeyServer, valkeyAvailability, waitFor } from '#test/environment';
import { GatewayHarness } from '../../../../test/stand-ins/gateway-harness.js';
import type { RunningGateway } from '../start.js';

const GATEWAYS = 3;
const here = valkeyAvailability() === undefined ? describe : describe.skip;

let database: TestDatabase;
let around: GatewayHarness;
let valkey: ValkeyServer;
let gateways: RunningGateway[] = [];
let asked = 0;

/**
 * Starts gateways one after another. If they all started at once, a busy machine could delay their access to Valkey,
 * and they would count alone.
 */
async function startGateways(settings: Record<string, string> = {}): Promise<RunningGateway[]> {
  const started: RunningGateway[] = [];
  for (let i = 0; i < GATEWAYS; i++) {
    started.push(
      await around.startGateway({
        VALKEY_URL: valkey.url,
        VALKEY_TIMEOUT_MS: '1000',
        GATEWAY_JOURNAL: join(around.folder, `leases.${asked++}.journal`),
        ...settings,
      }),
    );
  }
  return started;
}

/** Resolves when every gateway has announced itself twice, so that each knows how many there are. */
async function untilAllHaveMet(): Promise<void> {
  const client = new Valkey(valkey.url);
  const beats = async () => {
    const words = await client.zrange('counters:gateways', 0, -1, 'WITHSCORES');
    return words.filter((_, place) => place % 2 === 1).map(Number);
  };
  await waitFor('every gateway to be seen', async () => (await beats()).length === GATEWAYS);
  const newest = Math.max(...(await beats()));
  await waitFor('every gateway to announce itself again', async () =>
    (await beats()).every((beat) => beat > newest),
  );
  client.disconnect();
}

async function statusOf(
  gateway: RunningGateway,
  headers: Record<string, string>,
  { query = '', method = 'GET' }: { query?: string; method?: 'GET' | 'HEAD' | 'OPTIONS' } = {},
): Promise<number> {
  const path = `/v2.0/whois/live?domainName=name${asked++}.example${query}`;
  const { statusCode, body } = await request(gateway.apiUrl + path, { headers, method });
  await body.dump();
  return statusCode;
}

const answered = (statuses: number[], status: number) =>
  statuses.filter((other) => other === status).length;

const hasLostValkey = () => around.logged.includes('Valkey does not answer');

/**
 * Sends three times as many requests as the account's limit, through all gateways, with several keys and from many
 * addresses. @returns the statuses.
 */
async function flood(limit: number): Promise<number[]> {
  const { apiKey, keyRecord } = around.account.addKey();
  const { accountId } = keyRecord;
  around.entitlement.limits.set(accountId, limit);
  const keys = [apiKey];
  for (const rank of [2, 3, 4, 5]) {
    keys.push(around.account.addKey({ accountId, rank }).apiKey);
  }
  const ways = [
    (key: string) => ({ headers: { 'x-api-key': key }, query: '' }),
    (key: string) => ({ headers: { authorization: `Bearer ${key}` }, query: '' }),
    (key: string) => ({ headers: {}, query: `&apiKey=${key}` }),
  ];
  const statuses: number[] = [];
  for (let sent = 0; sent < limit * 3; sent += GATEWAYS) {
    const round = gateways.map(async (gateway, place) => {
      const number = sent + place;
      const { headers, query } = ways[number % ways.length](keys[number % keys.length]);
      const from = { 'x-forwarded-for': `2001:db8:${number.toString(16)}::1` };
      const method = number % 10 === 9 ? 'HEAD' : number % 10 === 8 ? 'OPTIONS' : 'GET';
      return statusOf(gateway, { ...headers, ...from }, { query, method });
    });
    statuses.push(...(await Promise.all(round)));
  }
  return statuses;
}

here('requests per minute over three gateways', () => {
  beforeAll(async () => {
    database = await TestDatabase.create();
    around = new GatewayHarness(database);
    await around.start();
    around.entitlement.keys = 5;
    valkey = await ValkeyServer.start({ folder: join(around.folder, 'valkey'), password: 'p@ss' });
    gateways = await startGateways();
    await untilAllHaveMet();
  });

  afterAll(async () => {
    await around?.stop();
    await valkey?.stop();
    await database?.drop();
  });

  it.each([10, 120])(
    'S99: with a limit of %i, no mix of keys, transports, addresses and methods exceeds the limit',
    async (limit) => {
      const statuses = await flood(limit);
      // A gateway that lost its connection to Valkey because the machine was busy accepts fewer requests.
      for (let again = 0; again < 3 && hasLostValkey(); again++) {
        expect(answered(statuses, 200)).toBeLessThanOrEqual(limit);
        around.logged = '';
        await untilAllHaveMet();
        statuses.splice(0, Infinity, ...(await flood(limit)));
      }
      expect(answered(statuses, 200)).toBeLessThanOrEqual(limit);
      expect(answered(statuses, 200)).toBeGreaterThanOrEqual(Math.floor(0.97 * limit));
      expect(answered(statuses, 429)).toBeGreaterThan(limit);
    },
  );

  it('S100: without Valkey, each of three gateways allows a third of the limit, and no credits are spent beyond the balance', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    around.entitlement.limits.set(keyRecord.accountId, 30);
    const headers = { 'x-api-key': apiKey };
    for (const gateway of gateways) expect(await statusOf(gateway, headers)).toBe(200);
    await valkey.stop();
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) {
      statuses.push(...(await Promise.all(gateways.map((one) => statusOf(one, headers)))));
    }
    expect(answered(statuses, 200)).toBe(30 - GATEWAYS);
    expect(answered(statuses, 429)).toBe(3 * 40 - 27);

    const { apiKey: other } = around.account.addKey();
    const before = around.lookup.questions.length;
    around.entitlement.isDown = true;
    for (const gateway of gateways) {
      expect(await statusOf(gateway, { 'x-api-key': other })).toBe(503);
    }
    around.entitlement.isDown = false;
    expect(around.lookup.questions.length).toBe(before);
    await valkey.restart();
    await waitFor('a gateway to serve again', async () => {
      return (await statusOf(gateways[0], { 'x-api-key': other })) === 200;
    });
  });
});
