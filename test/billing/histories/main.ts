import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import fc from 'fast-check';
import { setupPostgres } from '../../environment/setup.js';
import teardown from '../../environment/teardown.js';
import { BillingUnderTest } from '../billing-under-test.js';
import { moneyCommand } from './money-commands.js';
import { MoneyHistory, TAX_RATES } from './money-history.js';
import { travel } from './time-travel.js';

/** Histories of money, and 400 days of fifty accounts, outside of the test runner. */
const program = new Command('money-histories')
  .option('--histories <count>', 'so many', '300')
  .option('--commands <count>', 'in each, at most', '60')
  .option('--seed <number>', 'of the histories', '1')
  .option('--no-travel', 'without the days')
  .option('--json <file>', 'also write the report to a file')
  .parse();
const options = program.opts<
  Record<'histories' | 'commands' | 'seed', string> & { json?: string; travel: boolean }
>();

await setupPostgres();
const faults: string[] = [];
let [histories, commands] = [0, 0];
const startedMs = performance.now();
const billing = await BillingUnderTest.start({ taxRates: TAX_RATES });
try {
  const auditor = await billing.test.auditor('billing');
  const size = { minLength: 20, maxLength: Number(options.commands), size: 'max' } as const;
  const property = fc.asyncProperty(fc.array(moneyCommand, size), async (steps) => {
    const history = await MoneyHistory.begin(billing, auditor);
    for (const step of steps) await history.run(step);
    await history.end();
    histories += 1;
    commands += steps.length;
  });
  const seed = Number(options.seed);
  const checked = await fc.check(property, {
    numRuns: Number(options.histories),
    seed,
    endOnFailure: true,
  });
  if (checked.failed) {
    faults.push(
      String(checked.errorInstance),
      fc.defaultReportMessage(checked) ?? 'a history failed',
    );
  }
  const seconds = (performance.now() - startedMs) / 1000;
  say(`${histories} histories of money, ${commands} commands, ${seconds.toFixed(1)} s`);
} finally {
  await billing.stop();
}
const travelled = options.travel ? await travel({ accounts: 50, days: 400 }) : undefined;
if (travelled) faults.push(...travelled.faults);
if (travelled) say(travelled.summary);
await teardown();
for (const fault of faults) say(fault.slice(0, 3_000));
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify({ histories, commands, travelled, faults })}\n`);
}
process.exit(faults.length === 0 && histories > 0 ? 0 : 1);

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
