import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '#libs/platform';
import { CounterId } from './counter-id.js';
import type { RateLimiter } from './rate-limiter.js';

const RUNS = 200;
const SEED = 20_261_122;

/**
 * Tests the contract of every `RateLimiter`. `create` gets the clock to read; `runs` is the number of runs of each
 * property, lower for a limiter that calls a server.
 */
export function rateLimiterContract(
  name: string,
  create: (nowMs: () => number) => RateLimiter,
  runs = RUNS,
): void {
  describe(name, () => {
    it('answers like a plain list of times', async () => {
      const steps = fc.array(
        fc.record({
          waitMs: fc.oneof(fc.nat(900), fc.nat(70_000)),
          account: fc.nat(2),
          rateKey: fc.nat(1),
        }),
        { maxLength: 120 },
      );
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 12 }), steps, async (limit, taken) => {
          let now = 5_000_000;
          const rateLimiter = create(() => now);
          const ids = [newId(), newId(), newId()].map((text) => new CounterId(text));
          const model = new Map<string, number[]>();
          for (const { waitMs, account, rateKey } of taken) {
            now += waitMs;
            const times = model.get(`${account}/${rateKey}`) ?? [];
            model.set(`${account}/${rateKey}`, times);
            const second = Math.floor(now / 1000);
            const counted = times.filter((t) => Math.floor(t / 1000) > second - 61).length;
            const answer = await rateLimiter.take(ids[account], rateKey, limit);
            expect(answer.allowed).toBe(counted < limit);
            if (answer.allowed) times.push(now);
            expect(answer.remaining).toBe(limit - counted - (answer.allowed ? 1 : 0));
          }
        }),
        { numRuns: runs, seed: SEED },
      );
    });

    it('S99: no 60 seconds, whenever they begin, contain more than the limit', async () => {
      const waits = fc.array(fc.nat(4_000), { minLength: 50, maxLength: 200 });
      await fc.assert(
        fc.asyncProperty(waits, async (waitsMs) => {
          let now = 1_000_000;
          const rateLimiter = create(() => now);
          const id = new CounterId(newId());
          const admitted: number[] = [];
          for (const waitMs of waitsMs) {
            now += waitMs;
            if ((await rateLimiter.take(id, 0, 20)).allowed) admitted.push(now);
          }
          for (const from of admitted) {
            const within = admitted.filter((t) => t >= from && t < from + 60_000).length;
            expect(within).toBeLessThanOrEqual(20);
          }
        }),
        { numRuns: runs, seed: SEED },
      );
    });

    it('a returned permit can be used again at once, and no window ever exceeds the limit', async () => {
      const steps = fc.array(
        fc.record({ waitMs: fc.oneof(fc.nat(900), fc.nat(40_000)), isOurs: fc.boolean() }),
        { minLength: 20, maxLength: 100 },
      );
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 8 }), steps, async (limit, taken) => {
          let now = 3_000_000;
          const rateLimiter = create(() => now);
          const id = new CounterId(newId());
          const admitted: number[] = [];
          let given = 0;
          for (const { waitMs, isOurs } of taken) {
            now += waitMs;
            const inWindow = (t: number) => Math.floor(t / 1000) > Math.floor(now / 1000) - 61;
            const counted = admitted.filter(inWindow).length;
            const { allowed, remaining } = await rateLimiter.take(id, 0, limit);
            if (given === 0 || counted === limit) expect(allowed).toBe(counted < limit);
            if (!allowed) continue;
            if (isOurs) {
              rateLimiter.giveBack(id, 0);
              given++;
              const after = await rateLimiter.take(id, 0, limit);
              expect(after.remaining).toBe(remaining);
              expect(after.allowed).toBe(true);
            }
            admitted.push(now);
          }
        }),
        { numRuns: runs, seed: SEED },
      );
    });

    it('only counted requests can be returned', async () => {
      const rateLimiter = create(() => 7_000_000);
      const id = new CounterId(newId());
      rateLimiter.giveBack(id, 0);
      await rateLimiter.take(id, 0, 3);
      for (let i = 0; i < 5; i++) rateLimiter.giveBack(id, 0);
      const answers = [];
      for (let i = 0; i < 4; i++) answers.push(await rateLimiter.take(id, 0, 3));
      expect(answers.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
      expect(answers.at(-1)!.allowed).toBe(false);
    });

    it('states the second from which one more request fits', async () => {
      let now = 1_000_300;
      const rateLimiter = create(() => now);
      const id = new CounterId(newId());
      await rateLimiter.take(id, 0, 2);
      now += 10_000;
      await rateLimiter.take(id, 0, 2);
      const refused = await rateLimiter.take(id, 0, 2);
      expect(refused).toEqual({ allowed: false, remaining: 0, resetSeconds: 51 });
      now += refused.resetSeconds * 1000;
      expect((await rateLimiter.take(id, 0, 2)).allowed).toBe(true);
    });

    it('a lowered limit rejects at once, and a raised one admits at once', async () => {
      const rateLimiter = create(() => 9_000_000);
      const id = new CounterId(newId());
      for (let i = 0; i < 5; i++) await rateLimiter.take(id, 0, 10);
      expect((await rateLimiter.take(id, 0, 3)).allowed).toBe(false);
      expect((await rateLimiter.take(id, 0, 6)).allowed).toBe(true);
      expect((await rateLimiter.take(id, 0, 0)).allowed).toBe(false);
    });
  });
}
