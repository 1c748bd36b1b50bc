import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Database } from '#libs/database';
import { BillingUnderTest } from '../billing-under-test.js';
import { moneyCommand } from './money-commands.js';
import { MoneyHistory } from './money-history.js';

/** As many as fit into the time, on a busy machine one; `npm run sim` runs more. */
const RUNS = 30;
const RUNS_MIN = 1;
const COMMANDS_MAX = 40;
const TIME_LIMIT_MS = 25_000;

describe('money under every history', () => {
  let billing: BillingUnderTest;
  let auditor: Database;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    auditor = await billing.test.auditor('billing');
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
            const history = await MoneyHistory.begin(billing, auditor);
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
