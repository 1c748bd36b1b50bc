import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ChosenProcessor } from '#libs/contracts';
import { MINUTE_MS } from '#libs/platform';
import { BillingUnderTest } from '../billing-under-test.js';
import { MoneyAuditor } from './money-auditor.js';
import { type MoneyCommand, moneyHistory } from './money-commands.js';
import { MoneyHistory, TAX_RATES } from './money-history.js';
import { FAILED_ONCE } from './money-regressions.js';

/** `npm run sim` runs more, of new seeds. One that failed is added to the regressions and stays. */
const SEED = 20_261_122;
/** Thirty in all; `npm run sim` has as many of each. */
const HISTORIES = [
  ['stripe', 24],
  ['paypal', 6],
] as const;
const COMMANDS = 60;
/** As long as a machine may take that has thirty other things to do. */
const TIMEOUT_MS = 120 * MINUTE_MS;

describe('money under every history', () => {
  let billing: BillingUnderTest;
  let auditor: MoneyAuditor;
  let done = 0;

  beforeAll(async () => {
    billing = await BillingUnderTest.start({ taxRates: TAX_RATES });
    auditor = await MoneyAuditor.open(billing);
  });
  afterAll(async () => {
    await auditor.close();
    await billing.stop();
  });

  async function live(
    commands: readonly MoneyCommand[],
    processor: ChosenProcessor,
  ): Promise<void> {
    const history = await MoneyHistory.begin(billing, processor, auditor);
    for (const command of commands) await history.run(command);
    await history.end();
    done += history.done;
  }

  it.each(HISTORIES)(
    `at %s: %i of ${COMMANDS} commands end where its money is, and no invariant breaks on the way`,
    async (processor, numRuns) => {
      done = 0;
      const property = fc.asyncProperty(moneyHistory(COMMANDS), (commands) =>
        live(commands, processor),
      );
      await fc.assert(property, { numRuns, seed: SEED, endOnFailure: true });
      expect(done).toBeGreaterThan((numRuns * COMMANDS) / 3);
    },
    TIMEOUT_MS,
  );

  it.each(
    Object.entries(FAILED_ONCE).flatMap(([what, commands]) =>
      HISTORIES.map(([processor]) => ({ what, commands, processor })),
    ),
  )(
    'once failed: $what, at $processor',
    ({ commands, processor }) => live(commands, processor),
    TIMEOUT_MS,
  );
});
