import { setupDurablePostgres } from '../environment/setup.js';
import teardown from '../environment/teardown.js';
import { clusterAvailability } from '../../apps/cluster/src/cluster.js';
import { BillingUnderTest } from '../billing/billing-under-test.js';
import type { BenchOptions, BenchReport, BenchRow } from './bench.js';
import { cleanup } from './cleanup.js';
import { answerTimes } from './money/callbacks.js';
import { invoicePages } from './money/invoice-pages.js';
import { purchaseTimes } from './money/purchases.js';
import { renewalHour } from './money/renewal-hour.js';
import { renewals } from './money/renewals.js';
import { Shop } from './money/shop.js';
import { timelineTimes } from './money/timeline.js';

/** Takes three quarters of an hour, so it is measured only when it is named. */
export const MONEY_FIGURES = ['renewal-hour'] as const;

const SUBSCRIPTIONS = 2_000;
const SHORT_SUBSCRIPTIONS = 400;
const RENEWALS = 100_000;
const SHORT_RENEWALS = 5_000;

/**
 * `npm run bench money`: how soon what was paid works, how callbacks are answered, a month's renewals at once, an invoice,
 * an operator's look at a long life. `npm run bench renewal-hour`: 100,000 renewals, 5,000 with `--short`, or
 * `--count`, with `--rate` calls a second to the processor.
 */
export async function run(
  figures: readonly string[] = [],
  { isShort, count, rate }: BenchOptions = { isShort: false },
): Promise<BenchReport> {
  if (figures.includes('renewal-hour')) {
    return oneHour(count ?? (isShort ? SHORT_RENEWALS : RENEWALS), rate);
  }
  say('purchases in solo');
  const rows: BenchRow[] = await purchaseTimes(await Shop.inSolo(), {
    where: 'in solo',
    targetMs: 200,
  });
  await cleanup.run();
  const missing = clusterAvailability();
  if (missing === undefined) {
    say('purchases on Kafka');
    const onKafka = { where: 'on Kafka', targetMs: 1_000 };
    rows.push(...(await purchaseTimes(await Shop.onKafka(), onKafka)));
    await cleanup.run();
  }
  cleanup.add(teardown);
  await setupDurablePostgres();
  const billing = await BillingUnderTest.start();
  cleanup.add(() => billing.stop());
  say('callbacks');
  rows.push(...(await answerTimes(billing, isShort ? SHORT_SUBSCRIPTIONS : SUBSCRIPTIONS)));
  say('renewals');
  rows.push(...(await renewals(billing)));
  say('invoices');
  rows.push(...(await invoicePages()));
  say('timelines');
  rows.push(...(await timelineTimes()));
  return {
    title: 'money: from the payment to the key, callbacks, renewals, invoices, timelines',
    rows,
    ...(missing !== undefined && { notRun: [`purchases on Kafka: ${missing}`] }),
  };
}

async function oneHour(count: number, rate?: number): Promise<BenchReport> {
  cleanup.add(teardown);
  await setupDurablePostgres();
  return { title: 'money: an hour of renewals', rows: await renewalHour(count, rate) };
}

const say = (what: string) => void process.stderr.write(`  ${what} …\n`);
