import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import type { LeaseUse } from '#libs/contracts';
import {
  HOUR_MS,
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
import { readLeases } from './journal-lines.js';
import { LeaseClient } from './lease-client.js';
import { LeasePools } from './lease-pool.js';
import { LeaseSettler } from './lease-settler.js';
import { Lease } from './lease.js';

let database: TestDatabase;
let around: GatewayHarness;
let services: Services;
let folder: string;
let journalPath: string;
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
  // Leases end only if a test shortens their life.
  Object.assign(entitlement, {
    isDown: false,
    isElsewhere: false,
    leaseMax: 1_000,
    ttlMs: HOUR_MS,
    gate: undefined,
  });
  entitlement.defaultBalance = 100_000;
  leases = open();
});

afterEach(async () => {
  around.entitlement.isDown = false;
  around.entitlement.isElsewhere = false;
  await leases.drain(0);
});

afterAll(async () => {
  await services?.close();
  await around?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const logger = new Logger('gateway', { write: () => {} });

function open(settleIntervalMs = 20, client = services.entitlement): LeaseClient {
  journalPath = join(folder, newId());
  const opened = new LeaseClient({
    client,
    logger,
    journalPath,
    requestDeadlineMs: 1_000,
    settleIntervalMs,
  });
  opened.start();
  return opened;
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
    await spend(3);
    expect(leases.remaining(accountId)).toBe(100_000 - 3);
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + HOUR_MS);
    await waitFor('the return', () => stored()[0].isClosed);
    // The gateway keeps nothing in memory for an account without a lease.
    await waitFor('its pool to be removed', () => leases.remaining(accountId) === undefined);
    clock.mockRestore();
    expect(stored()[0].consumed).toBe(3);
    expect(around.entitlement.available(accountId)).toBe(100_000 - 3);
  });

  it('the next lease is requested when less than a fifth of the current lease is left, for at most 1,000 credits', async () => {
    around.entitlement.leaseMax = 50_000;
    const lease = (await reserve(1_000)) as Lease;
    leases.finish(lease, 1_000, 700);
    const before = asks();
    await spend(100);
    expect(asks()).toBe(before);
    // At the rate measured since the first lease, the next 30 seconds would need some 20,000 credits.
    await spend(1);
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
    // The wait begins now, not when the request began.
    const waiting = leases.reserve(accountId, 100, monotonicMs() - 1_000);
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

  it('credits that are reserved but not charged do not count as use', async () => {
    for (let n = 0; n < 2; n++) await reserve(10);
    expect(stored().map(({ amount }) => amount)).toEqual([10, 10]);
  });

  it('a drain returns all leases, and later requests are rejected', async () => {
    await spend(3);
    const unfinished = (await reserve()) as Lease;
    const draining = leases.drain(10_000);
    leases.finish(unfinished, 1, 1);
    await draining;
    expect(stored()).toMatchObject([{ consumed: 4, isClosed: true }]);
    expect(readLeases(readFileSync(journalPath, 'utf8'))).toEqual([]);
    expect(await reserve()).toMatchObject({ status: 503, code: 'service_unavailable' });
  });

  it('requests that wait during a drain get their credits, and the rest is returned', async () => {
    around.entitlement.isElsewhere = true;
    const waiting = reserve(5);
    const draining = leases.drain(10_000);
    around.entitlement.isElsewhere = false;
    const lease = (await waiting) as Lease;
    expect(stored()).toMatchObject([{ amount: 10, isClosed: false }]);
    leases.finish(lease, 5, 5);
    await draining;
    expect(stored()).toMatchObject([{ consumed: 5, isClosed: true }]);
  });

  it('a drain ends after its time limit, even if entitlement does not answer', async () => {
    await spend(1);
    around.entitlement.isDown = true;
    await leases.drain(10);
    expect(leases.state().open).toBe(1);
  });

  it('if entitlement does not answer, requests are rejected, and the lease is closed later by its id', async () => {
    around.entitlement.isDown = true;
    expect(await reserve()).toMatchObject({ status: 503, code: 'service_unavailable' });
    const asked = { granted: 0, insufficient: 0, elsewhere: 0, closed: 0, failed: 1 };
    expect(leases.state()).toMatchObject({ open: 1, counts: { hits: 0, misses: 1, asked } });
    around.entitlement.isDown = false;
    await waitFor('the close', () => leases.state().open === 0);
    expect(stored()).toMatchObject([{ isClosed: true }]);
  });

  it('a lease that would end before the deadline of its request is not used but returned', async () => {
    around.entitlement.ttlMs = 6_000;
    expect(await reserve()).toMatchObject({ status: 503, code: 'credits_busy' });
    await waitFor('the return', () => stored()[0].isClosed);
    expect(leases.state().counts.asked.granted).toBe(1);
  });

  it('the next lease is also requested five seconds before the end of the current lease', async () => {
    const lease = (await reserve()) as Lease;
    const isAsking = () => leases.pools.get(accountId)!.isAsking;
    void leases.reserve(accountId, 1, lease.usableUntilMs - 5_000);
    expect(isAsking()).toBe(false);
    void leases.reserve(accountId, 1, lease.usableUntilMs - 4_999);
    expect(isAsking()).toBe(true);
  });

  it('leases of less than ten credits are not prefetched', async () => {
    around.entitlement.leaseMax = 9;
    const lease = await reserve();
    expect(await reserve(8)).toBe(lease);
    expect(leases.pools.get(accountId)!.isAsking).toBe(false);
  });

  it('while 64 calls for leases are running, no lease is prefetched', async () => {
    const lease = (await reserve()) as Lease;
    const pool = leases.pools.get(accountId)!;
    const gate = Promise.withResolvers<void>();
    around.entitlement.gate = gate.promise;
    const waiting = Array.from({ length: 64 }, () => leases.reserve(newId(), 1, monotonicMs()));
    expect(await reserve(8)).toBe(lease);
    expect(pool.isAsking).toBe(false);
    gate.resolve();
    await Promise.all(waiting);
    leases.finish(lease, 8, 0);
    expect(await reserve(8)).toBe(lease);
    expect(pool.isAsking).toBe(true);
  });

  it.each(['isDown', 'isElsewhere'] as const)(
    'after a vain attempt (%s), no lease is prefetched for a second',
    async (state) => {
      const lease = (await reserve()) as Lease;
      const pool = leases.pools.get(accountId)!;
      const before = monotonicMs();
      around.entitlement[state] = true;
      expect(await reserve(8)).toBe(lease);
      await waitFor('the attempt', () => !pool.isAsking);
      leases.finish(lease, 8, 0);
      expect(pool.noPrefetchUntilMs).toBeGreaterThan(before);
      void leases.reserve(accountId, 8, pool.noPrefetchUntilMs - 1);
      expect(pool.isAsking).toBe(false);
      leases.finish(lease, 8, 0);
      void leases.reserve(accountId, 8, pool.noPrefetchUntilMs);
      expect(pool.isAsking).toBe(true);
    },
  );

  it('the last credit of an account is leased, too', async () => {
    around.entitlement.balances.set(accountId, 11);
    const lease = await reserve();
    expect(await reserve(9)).toBe(lease);
    await waitFor('the last credit', () => stored().length === 2);
    expect(stored()[1].amount).toBe(1);
  });

  it('a waiting request gets credits that another request returns at once', async () => {
    const lease = (await reserve(10)) as Lease;
    around.entitlement.isElsewhere = true;
    const waiting = reserve(10);
    leases.finish(lease, 10, 0);
    expect(await Promise.race([waiting, new Promise(setImmediate)])).toBe(lease);
  });

  it('the gateway keeps nothing for an account without credits, neither in memory nor in the journal', async () => {
    around.entitlement.balances.set(accountId, 0);
    expect(await reserve()).toMatchObject({ status: 402 });
    await waitFor('its pool to be removed', () => leases.pools.get(accountId) === undefined);
    expect(leases.state().open).toBe(0);
    await leases.drain(0);
    expect(readLeases(readFileSync(journalPath, 'utf8'))).toEqual([]);
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
    const totals: Partial<LeaseUse>[] = [];
    const recording = Object.assign(Object.create(entitlement) as typeof entitlement, {
      settle: async (gatewayId: string, uses: LeaseUse[]) => {
        totals.push(...uses.map(({ consumed, operations }) => ({ consumed, operations })));
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
      lease.charge(credits, 'whois.live');
      settler.used(lease);
    };
    settler.opened(lease);
    use(1);
    const settled = settler.settle();
    use(2);
    settler.settleNow();
    answered.resolve();
    await settled;
    expect(totals).toEqual([1, 3].map((n) => ({ consumed: n, operations: { 'whois.live': n } })));
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
    leases = open(20, recording);
    await spend(2);
    await waitFor('the charge', () => around.entitlement.charged(accountId) === 2);
    const seen = totals.length;
    await waitFor('three settlements more', () => totals.length >= seen + 3);
    expect(totals.slice(seen)).toEqual(totals.slice(seen).map(() => 0));
    expect(totals.filter((count) => count === 1)).toHaveLength(1);
  });
});
