import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LeaseUse } from '#libs/contracts';
import {
  Logger,
  type Problem,
  ServiceTokens,
  SystemClock,
  loadConfig,
  monotonicMs,
  newId,
} from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { GatewayNeighbourhood } from '../../../../test/stand-ins/gateway-neighbourhood.js';
import { GatewayConfig } from '../gateway.config.js';
import { Services } from '../services.js';
import { LeaseClient } from './lease-client.js';
import { LeaseJournal } from './lease-journal.js';
import type { Lease } from './lease.js';

let database: TestDatabase;
let around: GatewayNeighbourhood;
let services: Services;
let folder: string;
let leases: LeaseClient;
let accountId: string;

beforeAll(async () => {
  database = await TestDatabase.create();
  around = new GatewayNeighbourhood(database);
  await around.start();
  const config = loadConfig(GatewayConfig, around.environment());
  services = new Services(config, new ServiceTokens(config.serviceSecret, new SystemClock()));
  folder = mkdtempSync(join(tmpdir(), 'leases-'));
});

beforeEach(() => {
  accountId = newId();
  const { entitlement } = around;
  Object.assign(entitlement, { isDown: false, isElsewhere: false, leaseMax: 1_000, ttlMs: 60_000 });
  entitlement.defaultBalance = 100_000;
  leases = open();
});

afterEach(async () => {
  around.entitlement.isDown = false;
  around.entitlement.isElsewhere = false;
  await leases.drain(10_000);
});

afterAll(async () => {
  await services?.close();
  await around?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const logger = new Logger('gateway', { write: () => {} });

function open(settleIntervalMs = 20): LeaseClient {
  const client = new LeaseClient({
    client: services.entitlement,
    logger,
    journalPath: join(folder, newId()),
    requestDeadlineMs: 1_000,
    settleIntervalMs,
  });
  client.start();
  return client;
}

const reserve = (cost = 1) => leases.reserve(accountId, cost, monotonicMs());
/** Charges one request of `cost`. */
async function spend(cost: number): Promise<void> {
  leases.finish((await reserve(cost)) as Lease, cost, cost);
}
const stored = () =>
  [...around.entitlement.leases.values()].filter((lease) => lease.accountId === accountId);
const asks = () =>
  around.entitlement.calls.filter((call) => call === 'POST /internal/leases').length;
const settles = () =>
  around.entitlement.calls.filter((call) => call === 'POST /internal/leases/settle').length;

describe('the lease client', () => {
  it('a recalled lease is closed with the last request on it, never before', async () => {
    const [first, second] = [(await reserve()) as Lease, (await reserve()) as Lease];
    expect(first).toBe(second);
    around.entitlement.recalled.add(first.id);
    await waitFor('the recall to be heard', () => first.isClosing);
    leases.finish(first, 1, 1);
    // Two settlements later a close that was sent too soon would have arrived.
    const seen = settles();
    await waitFor('two settlements', () => settles() >= seen + 2);
    expect(stored()[0].isClosed).toBe(false);
    leases.finish(second, 1, 1);
    await waitFor('the close', () => stored()[0].isClosed);
    expect(stored()[0].consumed).toBe(2);
  });

  it('a lease whose time is over goes back by itself', async () => {
    // Less the deadline of a request and the margin of 5 s it can be spent from for 2 s.
    around.entitlement.ttlMs = 8_000;
    await spend(3);
    expect(leases.remaining(accountId)).toBe(100_000 - 3);
    await waitFor('the return', () => stored()[0].isClosed, 10_000);
    // Nothing is kept of an account that has no lease.
    await waitFor('its pool to go', () => leases.remaining(accountId) === undefined);
    expect(stored()[0].consumed).toBe(3);
    expect(around.entitlement.available(accountId)).toBe(100_000 - 3);
  });

  it('the next lease is asked for while a fifth of the last is left, and never for more than 1,000', async () => {
    around.entitlement.leaseMax = 50_000;
    const lease = (await reserve(1_000)) as Lease;
    leases.finish(lease, 1_000, 700);
    const before = asks();
    await spend(99);
    expect(asks()).toBe(before);
    // What was charged since the first lease would be some 20,000 credits in the next 30 seconds.
    await spend(2);
    await waitFor('the next lease', () => stored().length === 2);
    expect(stored().map(({ amount }) => amount)).toEqual([1_000, 1_000]);
    expect(leases.state().counts).toMatchObject({ hits: 2, misses: 1 });
  });

  it('a lease that is used up keeps the next from being asked for ahead of need no longer', async () => {
    around.entitlement.leaseMax = 10;
    await spend(1);
    await spend(8);
    await waitFor('the second lease', () => leases.state().counts.asked.granted === 2);
    await spend(1);
    expect(stored().map(({ isClosed }) => isClosed)).toEqual([false, false]);
    // The first has nothing left; of the second less than a fifth is.
    await spend(9);
    await waitFor('the third lease', () => leases.state().counts.asked.granted === 3);
    expect(leases.state().counts).toMatchObject({ hits: 3, misses: 1 });
  });

  it('2,000 requests of an account may wait for credits, the next is refused at once', async () => {
    around.entitlement.isElsewhere = true;
    let answered = 0;
    const waiting = Array.from({ length: 2_000 }, async () => {
      const answer = await reserve();
      answered++;
      return answer;
    });
    expect(await reserve()).toMatchObject({ status: 503, code: 'credits_busy' });
    expect(answered).toBe(0);
    around.entitlement.isElsewhere = false;
    around.entitlement.leaseMax = 10_000;
    const got = (await Promise.all(waiting)) as (Lease | Problem)[];
    for (const lease of got) if ('reserved' in lease) leases.finish(lease, 1, 0);
    expect(got).toHaveLength(2_000);
  });

  it('before it waits for credits held elsewhere, what it holds itself is settled at once', async () => {
    await leases.drain(10_000);
    leases = open(3_600_000);
    await spend(1);
    expect(around.entitlement.charged(accountId)).toBe(0);
    around.entitlement.isElsewhere = true;
    const waiting = reserve(100);
    await waitFor('the settlement', () => around.entitlement.charged(accountId) === 1);
    around.entitlement.isElsewhere = false;
    const lease = await waiting;
    if ('reserved' in lease) leases.finish(lease as Lease, 100, 0);
  });

  it('what entitlement has acknowledged is not sent again', async () => {
    const totals: number[] = [];
    const { entitlement } = services;
    const recording = Object.assign(Object.create(entitlement) as typeof entitlement, {
      settle: async (gatewayId: string, uses: LeaseUse[]) => {
        totals.push(uses.length);
        return entitlement.settle(gatewayId, uses);
      },
    });
    await leases.drain(10_000);
    leases = new LeaseClient({
      client: recording,
      logger,
      journalPath: join(folder, newId()),
      requestDeadlineMs: 1_000,
      settleIntervalMs: 20,
    });
    leases.start();
    await spend(2);
    await waitFor('the charge', () => around.entitlement.charged(accountId) === 2);
    const seen = totals.length;
    await waitFor('three settlements more', () => totals.length >= seen + 3);
    expect(totals.slice(seen)).toEqual(totals.slice(seen).map(() => 0));
    expect(totals.filter((count) => count === 1)).toHaveLength(1);
  });
});

describe('a journal that cannot be written', () => {
  it('is opened again once a second at most', () => {
    const path = join(folder, 'gone', newId());
    let tries = 0;
    const journal = new LeaseJournal({
      path,
      openLeases: () => {
        tries++;
        return [];
      },
      onLost: () => {},
      logger,
    });
    journal.open();
    journal.close();
    rmSync(join(folder, 'gone'), { recursive: true });
    for (let i = 0; i < 1_000; i++) expect(journal.reopenIfDue()).toBe(false);
    expect(tries).toBe(1);
  });
});
