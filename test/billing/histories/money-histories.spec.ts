import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Database } from '#libs/database';
import { MINUTE_MS } from '#libs/platform';
import { BillingUnderTest } from '../billing-under-test.js';
import { type MoneyCommand, moneyCommand } from './money-commands.js';
import { MoneyHistory } from './money-history.js';

/** Histories that once ended otherwise than they should, and what failed them. */
const REGRESSIONS = [
  { seed: -562_272_513, path: '1', commands: 40, fault: 'two of a line taken over at once' },
] as const;
const SEED = 20_261_122;
/** As many as fit into the time, at least one; `npm run sim` draws new ones. */
const RUNS = 30;
const COMMANDS_MAX = 60;
const TIME_LIMIT_MS = 25_000;
/** For one history, on the busiest machine. */
const HISTORY_TIMEOUT_MS = 4 * MINUTE_MS;

describe('money under every history', () => {
  let billing: BillingUnderTest;
  let auditor: Database;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    auditor = await billing.test.auditor('billing');
  });
  afterAll(() => billing.stop());

  function historiesOf(commandsMax: number, parameters: fc.Parameters<MoneyCommand[]>) {
    const size = { minLength: 20, maxLength: commandsMax, size: 'max' } as const;
    return fc.sample(fc.array(moneyCommand, size), parameters);
  }

  /** @returns how many commands found something to do. */
  async function live(commands: readonly MoneyCommand[]): Promise<number> {
    const history = await MoneyHistory.begin(billing, auditor);
    for (const command of commands) await history.run(command);
    await history.end();
    return history.done;
  }

  it.each(REGRESSIONS)(
    'a history that once failed ends right: $fault',
    async ({ seed, path, commands }) => {
      const [history] = historiesOf(commands, { seed, path, numRuns: 1 });
      expect(await live(history)).toBeGreaterThan(0);
    },
    HISTORY_TIMEOUT_MS,
  );

  it(
    'each ends where the money at the processor is, and no invariant breaks on the way',
    async () => {
      const endMs = performance.now() + TIME_LIMIT_MS;
      const histories = historiesOf(COMMANDS_MAX, { seed: SEED, numRuns: RUNS });
      for (const [path, history] of histories.entries()) {
        if (path > 0 && performance.now() > endMs) return;
        const done = await live(history).catch((cause: unknown) => {
          throw new Error(`history of seed ${SEED}, path ${path}`, { cause });
        });
        expect(done).toBeGreaterThan(0);
      }
    },
    HISTORY_TIMEOUT_MS + TIME_LIMIT_MS,
  );
});
