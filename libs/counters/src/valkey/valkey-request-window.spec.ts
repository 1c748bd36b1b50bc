import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger, newId } from '#libs/platform';
import { ValkeyServer, valkeyAvailability } from '#libs/testing';
import { CounterId } from '../counter-id.js';
import { ValkeyLink } from './valkey-link.js';
import { ValkeyRequestWindow } from './valkey-request-window.js';

const here = valkeyAvailability() === undefined ? describe : describe.skip;
const logger = new Logger('counters', { write: () => {} });
const GATEWAYS = 3;
const STEP_MS = 100;

let folder: string;
let server: ValkeyServer;
/** The one clock of gateways and server in a test. */
let now = 0;

/** Three gateways that share a server and a clock that the test moves. */
class Gateways {
  readonly links: ValkeyLink[] = [];
  readonly windows: ValkeyRequestWindow[] = [];
  /** When each request was let through. */
  readonly admitted: number[] = [];

  static async start(timeoutMs = 10_000): Promise<Gateways> {
    const gateways = new Gateways();
    for (let i = 0; i < GATEWAYS; i++) {
      const nowMs = () => now;
      const link = new ValkeyLink({
        url: server.url,
        gatewayId: newId(),
        logger,
        timeoutMs,
        nowMs,
      });
      gateways.links.push(link);
      gateways.windows.push(new ValkeyRequestWindow(link, nowMs));
      await link.start();
    }
    await gateways.beat();
    return gateways;
  }

  async beat(): Promise<void> {
    for (const link of this.links) await link.beat();
  }

  /** Sends so many requests to each gateway at once. */
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

  advance(ms: number): void {
    now += ms;
    for (const window of this.windows) window.tick();
  }

  async stop(): Promise<void> {
    await Promise.all(this.windows.map((window) => window.close()));
    await Promise.all(this.links.map((link) => link.close()));
  }
}

/** The most requests that any 60 seconds held. */
function fullestMinute(admitted: readonly number[]): number {
  let most = 0;
  let first = 0;
  admitted.forEach((at, place) => {
    while (admitted[first] <= at - 60_000) first++;
    most = Math.max(most, place - first + 1);
  });
  return most;
}

here('ValkeyRequestWindow', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dds-window-'));
    server = await ValkeyServer.start({ folder });
  });
  beforeEach(async () => {
    now = 1_000_000;
    await server.restart();
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('S99: over three gateways no 60 seconds hold more than the limit × 1.00, and at three times the demand at least × 0.97 is let through', async () => {
    const shapes = fc.record({
      limit: fc.constantFrom(10, 60, 300, 1_200),
      weights: fc.tuple(fc.nat(5), fc.nat(5), fc.integer({ min: 1, max: 5 })),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(shapes, async ({ limit, weights, burst }) => {
        const gateways = await Gateways.start();
        const id = new CounterId(newId());
        const all = weights[0] + weights[1] + weights[2];
        const perStep = ((3 * limit) / 60_000) * STEP_MS * burst;
        let owed = [0, 0, 0];
        const minutes = 3;
        const begin = now;
        while (now - begin < minutes * 61_000) {
          owed = owed.map((left, place) => left + (perStep * weights[place]) / all);
          const counts = owed.map((left) => Math.floor(left));
          owed = owed.map((left, place) => left - counts[place]);
          await gateways.send(id, limit, counts);
          gateways.advance(STEP_MS * burst);
        }
        await gateways.stop();
        expect(fullestMinute(gateways.admitted)).toBeLessThanOrEqual(limit);
        expect(gateways.admitted.length).toBeGreaterThanOrEqual(0.97 * limit * minutes);
      }),
      { numRuns: 8, seed: 20_260_504 },
    );
  }, 120_000);
});
