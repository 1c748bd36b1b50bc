import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { setupPostgres } from '../../environment/setup.js';
import teardown from '../../environment/teardown.js';
import { EntitlementUnderTest } from '../entitlement-under-test.js';
import { Histories } from './histories.js';
import { BEGIN } from './processor.js';
import type { Tally } from './judgement.js';

/** Histories of customers at a processor, outside of the test runner. */
const program = new Command('credit-histories')
  .option('--histories <count>', 'so many', '100')
  .option('--from <seed>', 'the first seed', '1')
  .option('--json <file>', 'also write the report to a file')
  .parse();
const options = program.opts<{ histories: string; from: string; json?: string }>();
const count = Number(options.histories);
const seeds = Array.from({ length: count }, (_, index) => Number(options.from) + index);

const startedMs = performance.now();
const tally = await run();
const seconds = Math.round(performance.now() - startedMs) / 1000;
const { histories, customers, events, faults } = tally;
process.stdout.write(
  `${histories} histories of credits (${customers} customers, ${events} events), ${seconds} s; ` +
    `${faults.length} faults\n${faults.slice(0, 5).join('\n')}\n`,
);
if (options.json) writeFileSync(options.json, `${JSON.stringify({ ...tally, seconds })}\n`);
// Nothing found in nothing done is no proof.
process.exit(faults.length === 0 && histories === count && events > count ? 0 : 1);

async function run(): Promise<Tally> {
  await setupPostgres();
  const entitlement = await EntitlementUnderTest.start(BEGIN.toISOString());
  const outbox = await entitlement.test.maintenance('billing');
  await entitlement.transport.startRelay('billing', outbox);
  try {
    return await new Histories(entitlement, outbox, seeds).run();
  } finally {
    await entitlement.stop();
    await teardown();
  }
}
