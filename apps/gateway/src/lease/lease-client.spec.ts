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
import { GatewayHarness } from '../../../../test/stand-ins/gateway-harness.js';
import { GatewayConfig } from '../gateway.config.js';
import { Services } from '../services.js';
import { LeaseClient } from './lease-client.js';
import { LeasePools } from './lease-pool.js';
import { LeaseSettler } from './lease-settler.js';
import { Lease } from './lease.js';

let database: TestDatabase;
let around: GatewayHarness;
let services: Services;
let folder: string;
let leases: LeaseClient;
let accountId: string;

beforeAll(async () => {
  database = await TestDatabase.create();
  around = new GatewayHarness(database);
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
  it('a recalled lease is closed after its last request, not earlier', async () => {
    const [first, second] = [(await reserve()) as Lease, (await reserve()) as Lease];
    expect(first).toBe(second);
    around.entitlement.recalled.add(first.id);
    await waitFor('the recall to arrive', () => first.isClosing);
    leases.finish(first, 1, 1);
    // A close that was sent too early would have arrived before the second settlement.
    const seen = settles();
    await waitFor('two settlements', () => settles() >= seen + 2);
    expect(stored()[0].isClosed).toBe(false);
    leases.finish(second, 1, 1);
    await waitFor('the close', () => stored()[0].isClosed);
    expect(stored()[0].consumed).toBe(2);
  });

  it('an expired lease is returned automatically', async () => {
    // The lease is usable for 2 s: its lifetime minus the request's deadline and the margin of 5 s.
    around.entitlement.ttlMs = 8_000;
    await spend(3);
    expect(leases.remaining(accountId)).toBe(100_000 - 3);
    await waitFor('the return', () => stored()[0].isClosed);
    // The gateway keeps nothing in memory for an account without a lease.
    await waitFor('its pool to be removed', () => leases.remaining(accountId) === undefined);
    expect(stored()[0].consumed).toBe(3);
    expect(around.entitlement.available(accountId)).toBe(100_000 - 3);
  });

  it('the next lease is requested when less than a fifth of the current lease is left, for at most 1,000 credits', async () => {
    around.entitlement.leaseMax = 50_000;
    const lease = (await reserve(1_000)) as Lease;
    leases.finish(lease, 1_000, 700);
    const before = asks();
    await spend(99);
    expect(asks()).toBe(before);
    // At the rate measured since the first lease, the next 30 seconds would need some 20,000 credits.
    await spend(2);
    await waitFor('the next lease', () => stored().length === 2);
    expect(stored().map(({ amount }) => amount)).toEqual([1_000, 1_000]);
    expect(leases.state().counts).toMatchObject({ hits: 2, misses: 1 });
  });

  it('after a lease has been used up, the next lease can be prefetched again', async () => {
    around.entitlement.leaseMax = 10;
    await spend(1);
    await spend(8);
    await waitFor('the second lease', () => leases.state().counts.asked.granted === 2);
    await spend(1);
    expect(stored().map(({ isClosed }) => isClosed)).toEqual([false, false]);
    // Nothing is left of the first lease, and less than a fifth of the second.
    await spend(9);
    await waitFor('the third lease', () => leases.state().counts.asked.granted === 3);
    expect(leases.state().counts).toMatchObject({ hits: 3, misses: 1 });
  });

  it('up to 2,000 requests of an account wait for credits, and the next is rejected at once', async () => {
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

  it('a gateway settles its own leases before it waits for credits held elsewhere', async () => {
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

  it('a prefetched lease covers half a minute of recent use', async () => {
    const lease = (await reserve(60)) as Lease;
    leases.finish(lease, 60, 49);
    expect(lease.amount).toBe(60);
    await spend(1);
    await waitFor('the next lease', () => stored().length === 2);
    expect(stored()[1].amount).toBe(1_000);
  });

  it('a request for more credits than the account has does not make the next request fail', async () => {
    around.entitlement.balances.set(accountId, 30);
    const [large, small] = await Promise.all([reserve(60), reserve(5)]);
    expect(large).toMatchObject({ status: 402 });
    expect(small).toMatchObject({ accountId, reserved: 5 });
    leases.finish(small as Lease, 5, 5);
  });

  it('a request waits for credits held elsewhere for a limited time', async () => {
    around.entitlement.isElsewhere = true;
    const before = asks();
    expect(await reserve()).toMatchObject({ status: 503, code: 'credits_busy' });
    // There are attempts every 50 ms for 300 ms.
    expect(asks() - before).toBeLessThanOrEqual(7);
  });

  it('a settlement requested during another one follows it, with the totals of that moment', async () => {
    const { entitlement } = services;
    const answered = Promise.withResolvers<void>();
    const totals: number[] = [];
    const recording = Object.assign(Object.create(entitlement) as typeof entitlement, {
      settle: async (gatewayId: string, uses: LeaseUse[]) => {
        totals.push(...uses.map(({ consumed }) => consumed));
        const answer = await entitlement.settle(gatewayId, uses);
        await answered.promise;
        return answer;
      },
    });
    const settler = new LeaseSettler({
      client: recording,
      gatewayId: newId(),
      logger,
      intervalMs: 3_600_000,
      pools: new LeasePools(),
      onAnswer: () => {},
      onClosed: () => {},
    });
    const lease = new Lease(newId(), accountId, 0);
    const use = (credits: number) => {
      lease.charge(credits, undefined);
      settler.used(lease);
    };
    settler.opened(lease);
    use(1);
    const settled = settler.settle();
    use(2);
    settler.settleNow();
    answered.resolve();
    await settled;
    expect(totals).toEqual([1, 3]);
    expect(settler.unsettledCredits).toBe(0);
  });

  it('an acknowledged total is not sent again', async () => {
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

describe('the lease settler', () => {
  /**
   * Creates a settler that records its calls: how many leases each call settles or closes, and how many balances it
   * requests.
   */
  function settlerOf(refusals = { settle: 0, close: 0 }) {
    const calls: [what: string, leases: number, accounts?: number][] = [];
    const asked: string[] = [];
    const closed: Lease[] = [];
    const pools = new LeasePools();
    const client = Object.assign(
      Object.create(services.entitlement) as typeof services.entitlement,
      {
        settle: async (_gatewayId: string, uses: LeaseUse[], accounts: string[] = []) => {
          calls.push(['settle', uses.length, accounts.length]);
          asked.push(...accounts);
          if (refusals.settle-- > 0) throw new Error('not now');
          return { recalled: [], balances: {} };
        },
        closeAll: async (uses: LeaseUse[]) => {
          calls.push(['close', uses.length]);
          if (refusals.close-- > 0) throw new Error('not now');
        },
      },
    );
    const settler = new LeaseSettler({
      client,
      gatewayId: newId(),
      logger,
      intervalMs: 3_600_000,
      pools,
      onAnswer: () => {},
      onClosed: (lease) => void closed.push(lease),
    });
    const leasesOf = (count: number) =>
      Array.from({ length: count }, (_, number) => {
        const lease = new Lease(newId(), newId(), number);
        lease.amount = 10;
        settler.opened(lease);
        return lease;
      });
    return { settler, pools, calls, asked, closed, leasesOf };
  }

  it('a thousand leases are settled and closed per call, each once', async () => {
    const { settler, calls, closed, leasesOf } = settlerOf();
    const all = leasesOf(2_000);
    for (const lease of all) {
      lease.charge(2, 'whois.live');
      settler.used(lease);
      settler.used(lease);
    }
    expect(settler.unsettledCredits).toBe(4_000);
    await settler.settle();
    expect(calls.map(([what, count]) => [what, count])).toEqual([
      ['settle', 1_000],
      ['settle', 1_000],
    ]);
    expect([settler.unsettledCredits, all[1_999].settled]).toEqual([0, 2]);
    for (const lease of all) settler.close(lease);
    await waitFor('the closes', () => closed.length === 2_000);
    expect(calls.slice(2)).toEqual([
      ['close', 1_000],
      ['close', 1_000],
    ]);
    expect([settler.open.size, settler.answerAgeMs]).toEqual([0, 0]);
    await settler.settle();
    expect(calls).toHaveLength(4);
  });

  it('each call requests the balances of fifty accounts, in turn', async () => {
    const { settler, calls, asked, leasesOf } = settlerOf();
    const all = leasesOf(60);
    for (let round = 0; round < 2; round++) await settler.settle();
    expect(calls.map(([, , accounts]) => accounts)).toEqual([50, 50]);
    const turns = [...all, ...all.slice(0, 40)].map((lease) => lease.accountId);
    expect(asked).toEqual(turns);
    expect(settler.answerAgeMs).toBeLessThan(60_000);
  });

  it('rejected settlements are retried until the settler stops', async () => {
    const { settler, calls, closed, leasesOf } = settlerOf({ settle: 1, close: 1 });
    const [first, second] = leasesOf(2);
    first.charge(3, undefined);
    settler.used(first);
    await settler.settle();
    expect(first.settled).toBe(0);
    await settler.settle();
    expect(first.settled).toBe(3);
    settler.close(first);
    await waitFor('the close', () => closed.length === 1);
    expect(calls.map(([what]) => what)).toEqual(['settle', 'settle', 'close', 'close']);
    settler.stop();
    settler.close(second);
    await new Promise(setImmediate);
    expect([calls.length, closed.length]).toEqual([4, 1]);
  });

  it('leases of an earlier process are settled and closed, a thousand per call', async () => {
    const { settler, calls } = settlerOf({ settle: 1, close: 0 });
    const uses = Array.from({ length: 1_001 }, () => ({
      leaseId: newId(),
      accountId,
      consumed: 1,
    }));
    await settler.replay(uses);
    expect(calls.map(([what, count]) => [what, count])).toEqual([
      ['settle', 1_000],
      ['settle', 1_000],
      ['close', 1_000],
      ['settle', 1],
      ['close', 1],
    ]);
  });

  it('a balance that was requested before a granted lease of its account was closed is ignored', async () => {
    const { settler, pools, closed, leasesOf } = settlerOf();
    const [lease, refused] = leasesOf(2);
    refused.amount = 0;
    const [pool, other] = [lease, refused].map((one) => pools.of(one.accountId, 0));
    for (const one of [pool, other]) one.noteBalance(100, pools.nextCall());
    pool.add(lease);
    lease.charge(4, undefined);
    const before = pools.nextCall();
    for (const one of [lease, refused]) settler.close(one);
    await waitFor('the closes', () => closed.length === 2);
    pool.remove(lease);
    for (const one of [pool, other]) one.noteBalance(50, before);
    expect([pool.remaining, other.remaining]).toEqual([96, 50]);
    pool.noteBalance(60, pools.nextCall());
    expect(pool.remaining).toBe(60);
  });
});
