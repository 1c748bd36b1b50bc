import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BillingUnderTest } from '../billing-under-test.js';
import { moneyCommand } from './money-commands.js';
import { MoneyHistory } from './money-history.js';

/** As many as fit; `npm run sim` runs three hundred. */
const RUNS = 30;
const RUNS_MIN = 3;
const COMMANDS_MAX = 60;
const TIME_LIMIT_MS = 25_000;

describe('money under every history', () => {
  let billing: BillingUnderTest;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());

  it(
    'each ends where the money at the processor is, and no invariant breaks on the way',
    async () => {
      let [runs, done] = [0, 0];
      await fc.assert(
        fc.asyncProperty(
          fc.array(moneyCommand, { minLength: 20, maxLength: COMMANDS_MAX, size: 'max' }),
          async (commands) => {
            const history = new MoneyHistory(billing);
            for (const command of commands) await history.run(command);
            await history.end();
            runs += 1;
            done += history.done;
          },
        ),
        { numRuns: RUNS, endOnFailure: true, interruptAfterTimeLimit: TIME_LIMIT_MS },
      );
      expect(runs).toBeGreaterThanOrEqual(RUNS_MIN);
      expect(done).toBeGreaterThan(runs * 10);
    },
    4 * TIME_LIMIT_MS,
  );
});
