import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EntitlementUnderTest } from '../entitlement-under-test.js';
import { Histories } from './histories.js';

/** `npm run prove` runs 2,000 of new seeds. */
const FIRST_SEEDS = Array.from({ length: 30 }, (_, index) => index + 1);
/** Histories in which the choice of the grant that repaid a debt decided what was left to expire. */
const ONCE_FAILED = [500_022];
const SEEDS = [...FIRST_SEEDS, ...ONCE_FAILED];
/** On a machine that has much else to do; it ends what hangs. */
const LIMIT_MS = 900_000;
/** Fewer would mean that nothing happened. */
const EVENTS_MIN = 900;
/** What each history is compared with; all of them at once are for longer runs. */
const LATE_OR_NOT = ['shuffle', 'delay', 'shuffle', 'skip'] as const;

describe('credits of customers at a processor', () => {
  let entitlement: EntitlementUnderTest;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start('2026-01-31T00:00:00Z');
  });
  afterAll(() => entitlement.stop());

  it(
    'events in any order, repeated, delayed or missing, end in what the money bought',
    async () => {
      const outbox = await entitlement.test.maintenance('billing');
      await entitlement.transport.startRelay('billing', outbox);
      const { histories, customers, events, faults } = await new Histories(
        entitlement,
        outbox,
        SEEDS,
        (seed) => ['order', LATE_OR_NOT[seed % LATE_OR_NOT.length]],
      ).run();
      expect(faults).toEqual([]);
      expect([histories, customers]).toEqual([SEEDS.length, 2 * SEEDS.length]);
      expect(events).toBeGreaterThan(EVENTS_MIN);
    },
    LIMIT_MS,
  );
});
