import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger, newId } from '#libs/platform';
import { ValkeyServer, valkeyAvailability, waitFor } from '#test/environment';
import { TcpProxy } from '../../../../test/faults/tcp-proxy.js';
import { CounterId } from '../counter-id.js';
import { ValkeyLink } from './valkey-link.js';
import { ValkeyRateLimiter } from './valkey-rate-limiter.js';

const here = valkeyAvailability() === undefined ? describe : describe.skip;
const logger = new Logger('counters', { write: () => {} });
const GATEWAYS = 3;
const STEP_MS = 100;
const PATIENT_MS = 60_000;

let folder: string;
let server: ValkeyServer;
/** The clock shared by gateways and server in a test. */
let now = 0;

const started: Gateways[] = [];

interface Demand {
  limit: number;
  forMs: number;
  times?: number;
  weights?: readonly number[];
  burst?: number;
}

class Gateways {
  readonly links: ValkeyLink[] = [];
  readonly windows: ValkeyRateLimiter[] = [];
  /** Whether the heartbeats also follow the test's clock. Heartbeats by the real clock are always sent. */
  isBeating = true;
  readonly admitted: number[] = [];

  /**
   * Starts three gateways that count each other through the server, because the share that each may admit alone depends
   * on their number.
   */
  static async start(url = server.url): Promise<Gateways> {
    const gateways = await Gateways.startAlone(url);
    await gateways.untilUsable(true);
    await waitFor('all to know of all', async () => {
      await gateways.beat();
      return gateways.links.every((link) => link.gateways === GATEWAYS);
    });
    return gateways;
  }

  /** Starts three gateways, whether there is a server or not. */
  static async startAlone(url = server.url): Promise<Gateways> {
    const gateways = new Gateways();
    started.push(gateways);
    for (let i = 0; i < GATEWAYS; i++) {
      const nowMs = () => now;
      const link = new ValkeyLink({
        url,
        gatewayId: newId(),
        logger,
        timeoutMs: PATIENT_MS,
        nowMs,
      });
      gateways.links.push(link);
      gateways.windows.push(new ValkeyRateLimiter(link, nowMs));
      await link.start();
    }
    return gateways;
  }

  /** Sets the maximum time that the server may take to answer. */
  set timeoutMs(timeoutMs: number) {
    for (const link of this.links) link.timeoutMs = timeoutMs;
  }

  async beat(): Promise<void> {
    for (const link of this.links) await link.beat();
  }

  /** Sends the given number of requests to each gateway at once. @returns how many were allowed. */
  async send(id: CounterId, limit: number, counts: readonly number[]): Promise<number> {
    const answers = await Promise.all(
      counts.flatMap((count, place) =>
        Array.from({ length: count }, () => this.windows[place].take(id, 0, limit)),
      ),
    );
    const allowed = answers.filter((answer) => answer.allowed).length;
    for (let i = 0; i < allowed; i++) this.admitted.push(now);
    return allowed;
  }

  async advance(ms: number): Promise<void> {
    const before = Math.floor(now / 1000);
    now += ms;
    for (const rateLimiter of this.windows) rateLimiter.tick();
    if (this.isBeating && Math.floor(now / 1000) !== before) await this.beat();
  }

  /**
   * Sends `times` as many requests as the limit allows for the given time, divided among the gateways by `weights`. The
   * requests of `burst` steps are sent at once.
   */
  async demand(
    id: CounterId,
    { limit, forMs, times = 3, weights = [1, 1, 1], burst = 1 }: Demand,
  ): Promise<void> {
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    const perStep = ((times * limit) / 60_000) * STEP_MS * burst;
    let owed = weights.map(() => 0);
    for (const end = now + forMs; now < end;) {
      owed = owed.map((left, place) => left + (perStep * weights[place]) / all);
      const counts = owed.map((left) => Math.floor(left));
      owed = owed.map((left, place) => left - counts[place]);
      await this.send(id, limit, counts);
      await this.advance(STEP_MS * burst);
    }
  }

  async untilUsable(isUsable: boolean): Promise<void> {
    await waitFor(`the server to be ${isUsable ? 'there' : 'away'}`, () =>
      this.links.every((link) => link.isUsable === isUsable),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.windows.map((rateLimiter) => rateLimiter.close()));
    await Promise.all(this.links.map((link) => link.close()));
  }
}

/** Returns the highest number of requests in any 60 seconds that began at `fromMs` or later. */
function fullestMinute(all: readonly number[], fromMs = 0): number {
  const admitted = all.filter((at) => at >= fromMs);
  let most = 0;
  let first = 0;
  admitted.forEach((at, place) => {
    while (admitted[first] <= at - 60_000) first++;
    most = Math.max(most, place - first + 1);
  });
  return most;
}

here('ValkeyRateLimiter', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dds-window-'));
    server = await ValkeyServer.start({ folder });
  });
  beforeEach(async () => {
    now = 1_000_000;
    await server.restart();
  });
  const stopAll = async () => {
    for (const gateways of started.splice(0)) await gateways.stop();
  };
  afterEach(stopAll);
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('S99: three gateways together never exceed the limit in any 60 seconds, and admit at least 97% of it when the demand is three times as high', async () => {
    const shapes = fc.record({
      limit: fc.constantFrom(10, 60, 300, 1_200),
      weights: fc.tuple(fc.nat(5), fc.nat(5), fc.integer({ min: 1, max: 5 })),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(shapes, async ({ limit, weights, burst }) => {
        const gateways = await Gateways.start();
        const minutes = 3;
        const forMs = minutes * 61_000;
        await gateways.demand(new CounterId(newId()), { limit, forMs, weights, burst });
        expect(fullestMinute(gateways.admitted)).toBeLessThanOrEqual(limit);
        expect(gateways.admitted.length).toBeGreaterThanOrEqual(0.97 * limit * minutes);
        await stopAll();
      }),
      { numRuns: 8, seed: 20_260_504 },
    );
  });

  it('nine of ten requests of a customer with a steady rate are admitted without a call to the server', async () => {
    const gateways = await Gateways.start();
    const id = new CounterId(newId());
    await gateways.demand(id, { limit: 6_000, forMs: 2_000, times: 0.7 });
    const before = await calls(gateways);
    await gateways.demand(id, { limit: 6_000, forMs: 40_000, times: 0.7 });
    const asked = (await calls(gateways)) - before;
    expect(gateways.admitted.length).toBeGreaterThan(2_900);
    expect(asked).toBeLessThan(280);
  });

  it('permits that one gateway holds but does not use can be used through another', async () => {
    const gateways = await Gateways.start();
    const id = new CounterId(newId());
    for (let i = 0; i < 12; i++) {
      await gateways.send(id, 300, [3, 0, 0]);
      await gateways.advance(STEP_MS);
    }
    await gateways.advance(400);
    await gateways.windows[0].flush();
    expect(await gateways.send(id, 300, [0, 300, 0])).toBe(300 - 36);
  });

  it('a low limit is counted request by request: ten of ten are admitted, wherever they arrive', async () => {
    const gateways = await Gateways.start();
    const id = new CounterId(newId());
    for (let i = 0; i < 10; i++) {
      const counts = [0, 0, 0];
      counts[i % 3] = 1;
      expect(await gateways.send(id, 10, counts)).toBe(1);
      await gateways.advance(STEP_MS);
    }
    expect(await gateways.send(id, 10, [1, 1, 1])).toBe(0);
  });

  it('the share of a dead gateway counts as spent, and is free again a window later', async () => {
    const gateways = await Gateways.start();
    const id = new CounterId(newId());
    const [dead] = gateways.links;
    for (let i = 0; i < 12; i++) {
      await gateways.send(id, 300, [3, 0, 0]);
      now += STEP_MS;
    }
    dead.client.disconnect();
    await gateways.demand(id, { limit: 300, forMs: 50_000, weights: [0, 1, 1] });
    const through = gateways.admitted.length;
    expect(through).toBeLessThan(300);
    expect(through).toBeGreaterThan(270);
    await gateways.demand(id, { limit: 300, forMs: 80_000, weights: [0, 1, 1] });
    expect(fullestMinute(gateways.admitted)).toBeLessThanOrEqual(300);
    expect(fullestMinute(gateways.admitted, 1_061_000)).toBeGreaterThan(290);
  });

  describe.each([30, 600])('if the server fails, at a limit of %i', (limit) => {
    it('S100: after the server is killed, each gateway admits its share: at most twice the limit in the first minute, and at most the limit in any later minute', async () => {
      const gateways = await Gateways.start();
      const id = new CounterId(newId());
      await gateways.demand(id, { limit, forMs: 25_000, weights: [1, 0, 0] });
      server.kill('SIGKILL');
      await gateways.untilUsable(false);
      const lostAt = now;
      await gateways.demand(id, { limit, forMs: 150_000 });
      expect(fullestMinute(gateways.admitted)).toBeLessThanOrEqual(2 * limit);
      expect(fullestMinute(gateways.admitted, lostAt + 61_000)).toBeLessThanOrEqual(limit);
      expect(fullestMinute(gateways.admitted, lostAt + 61_000)).toBeGreaterThan(0.95 * limit);
    });

    it('S100: after the server restarts empty, at most twice the limit is admitted in the first minute, and at most the limit in any later minute', async () => {
      const gateways = await Gateways.start();
      const id = new CounterId(newId());
      await gateways.demand(id, { limit, forMs: 25_000, weights: [1, 0, 0] });
      server.kill('SIGKILL');
      await gateways.untilUsable(false);
      await gateways.demand(id, { limit, forMs: 10_000 });
      await server.restart();
      await gateways.untilUsable(true);
      const backAt = now;
      // The others have not yet reported their use to the empty server.
      await gateways.send(id, limit, [0, limit, 0]);
      await gateways.demand(id, { limit, forMs: 150_000, weights: [0, 2, 1] });
      expect(fullestMinute(gateways.admitted)).toBeLessThanOrEqual(2 * limit);
      expect(fullestMinute(gateways.admitted, backAt + 61_000)).toBeLessThanOrEqual(limit);
      expect(fullestMinute(gateways.admitted, backAt + 61_000)).toBeGreaterThan(0.95 * limit);
    });

    it('S100: after the server is flushed, at most twice the limit is admitted in the first minute, and at most the limit in any later minute', async () => {
      const gateways = await Gateways.start();
      const id = new CounterId(newId());
      await gateways.demand(id, { limit, forMs: 25_000, weights: [1, 0, 0] });
      await gateways.links[0].client.flushall();
      const lostAt = now;
      await gateways.demand(id, { limit, forMs: 150_000, weights: [0, 2, 1] });
      expect(fullestMinute(gateways.admitted)).toBeLessThanOrEqual(2 * limit);
      expect(fullestMinute(gateways.admitted, lostAt + 61_000)).toBeLessThanOrEqual(limit);
      expect(fullestMinute(gateways.admitted, lostAt + 61_000)).toBeGreaterThan(0.95 * limit);
    });

    it.each<[string, (proxy: TcpProxy) => void]>([
      ['paused', () => server.kill('SIGSTOP')],
      ['slow', (proxy) => proxy.delay(50)],
    ])(
      'S100: while the server is %s, requests are decided without it, and at most twice the limit is admitted in a minute',
      async (_, strike) => {
        const proxy = await TcpProxy.before(server.url);
        const gateways = await Gateways.start(proxy.through(server.url));
        const id = new CounterId(newId());
        await gateways.demand(id, { limit, forMs: 5_000 });
        strike(proxy);
        gateways.timeoutMs = 5;
        gateways.isBeating = false;
        try {
          await gateways.demand(id, { limit, forMs: 70_000 });
          expect(gateways.admitted.length).toBeGreaterThan(0.9 * limit);
        } finally {
          server.kill('SIGCONT');
          await proxy.heal();
          gateways.timeoutMs = PATIENT_MS;
        }
        await gateways.untilUsable(true);
        await gateways.demand(id, { limit, forMs: 70_000 });
        expect(fullestMinute(gateways.admitted)).toBeLessThanOrEqual(2 * limit);
        await proxy.stop();
      },
    );
  });

  it('S99: a brief failure of the server does not reopen a minute that it had just reported as full', async () => {
    const gateways = await Gateways.start();
    const id = new CounterId(newId());
    expect(await gateways.send(id, 12, [12, 0, 0])).toBe(12);
    expect(await gateways.send(id, 12, [0, 1, 1])).toBe(0);
    server.kill('SIGSTOP');
    gateways.timeoutMs = 50;
    gateways.isBeating = false;
    try {
      await gateways.send(new CounterId(newId()), 12, [1, 1, 1]);
      expect(gateways.links.map((link) => link.isUsable)).toEqual([false, false, false]);
      expect(await gateways.send(id, 12, [0, 4, 4])).toBe(0);
      await gateways.advance(1_000);
      // The server is down by now, so each gateway admits its share.
      expect(await gateways.send(id, 12, [0, 9, 9])).toBe(8);
    } finally {
      server.kill('SIGCONT');
      gateways.timeoutMs = PATIENT_MS;
    }
    await gateways.untilUsable(true);
  });

  it('S100: a gateway that never reached the server admits a quarter of the limit', async () => {
    await server.stop();
    const gateways = await Gateways.startAlone();
    expect(await gateways.send(new CounterId(newId()), 40, [40, 0, 0])).toBe(10);
  });

  it('S101: a step of the server’s clock by an hour in either direction neither resets nor raises an account’s count', async () => {
    const link = new ValkeyLink({
      url: server.url,
      gatewayId: newId(),
      logger,
      timeoutMs: PATIENT_MS,
    });
    await link.start();
    await waitFor('the server to be reached', () => link.isUsable);
    const rateLimiter = new ValkeyRateLimiter(link);
    const id = new CounterId(newId());
    for (let i = 0; i < 10; i++) expect((await rateLimiter.take(id, 0, 10)).allowed).toBe(true);
    for (const stepMs of [3_600_000, -3_600_000]) {
      // The clock does not change; the earlier reading is moved by an hour.
      await link.client.hincrby('counters:meta', 'last', -stepMs);
      await link.client.hincrby('counters:meta', 'shift', stepMs);
      await link.beat();
      const answer = await rateLimiter.take(id, 0, 11);
      expect(answer.allowed).toBe(stepMs > 0);
      expect((await rateLimiter.take(id, 0, 11)).allowed).toBe(false);
      expect(answer.resetSeconds).toBeGreaterThan(40);
    }
    await rateLimiter.close();
    await link.close();
  });
});

/**
 * Counts the calls that requests have caused: all scripts that the server has run, except heartbeats. Each heartbeat
 * runs one ZADD.
 */
async function calls(gateways: Gateways): Promise<number> {
  const stats = await gateways.links[0].client.info('commandstats');
  const countOf = (name: string) =>
    Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1]);
  return countOf('evalsha') - countOf('zadd');
}
