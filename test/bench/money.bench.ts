import { clusterAvailability } from '../../apps/cluster/src/cluster.js';
import { BillingUnderTest } from '../billing/billing-under-test.js';
import { type BenchOptions, type BenchReport, type BenchRow, openPostgres } from './bench.js';
import { cleanup } from './cleanup.js';
import { answerTimes } from './money/callbacks.js';
import { invoicePages } from './money/invoice-pages.js';
import { purchaseTimes } from './money/purchases.js';
import { renewalHour } from './money/renewal-hour.js';
import { renewals } from './money/renewals.js';
import { Shop } from './money/shop.js';
import { timelineTimes } from './money/timeline.js';

/** The last takes three quarters of an hour, so it is measured only when it is named. */
export const MONEY_FIGURES = [
  'purchases',
  'callbacks',
  'invoices',
  'timelines',
  'renewal-hour',
] as const;

const SUBSCRIPTIONS = 1_000;
const SHORT_SUBSCRIPTIONS = 200;
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
  const isWanted = (figure: (typeof MONEY_FIGURES)[number]) =>
    figures.length === 0 || figures.includes(figure);
  const rows: BenchRow[] = [];
  const missing = isWanted('purchases') ? clusterAvailability() : undefined;
  if (isWanted('purchases')) rows.push(...(await purchases(missing === undefined)));
  await openPostgres();
  if (isWanted('callbacks')) {
    const billing = await BillingUnderTest.start();
    cleanup.add(() => billing.stop());
    say('callbacks');
    rows.push(...(await answerTimes(billing, isShort ? SHORT_SUBSCRIPTIONS : SUBSCRIPTIONS)));
    say('renewals');
    rows.push(...(await renewals(billing)));
  }
  if (isWanted('invoices')) {
    say('invoices');
    rows.push(...(await invoicePages()));
  }
  if (isWanted('timelines')) {
    say('timelines');
    rows.push(...(await timelineTimes()));
  }
  return {
    title: 'money: from the payment to the key, callbacks, renewals, invoices, timelines',
    rows,
    ...(missing !== undefined && { notRun: [`purchases on Kafka: ${missing}`] }),
  };
}

async function purchases(isKafkaThere: boolean): Promise<BenchRow[]> {
  say('purchases in solo');
  const rows = await purchaseTimes(await Shop.inSolo(), { where: 'in solo', targetMs: 200 });
  await cleanup.run();
  if (!isKafkaThere) return rows;
  say('purchases on Kafka');
  const onKafka = { where: 'on Kafka', targetMs: 1_000 };
  rows.push(...(await purchaseTimes(await Shop.onKafka(), onKafka)));
  await cleanup.run();
  return rows;
}

async function oneHour(count: number, rate?: number): Promise<BenchReport> {
  await openPostgres();
  return { title: 'money: an hour of renewals', rows: await renewalHour(count, rate) };
}

const say = (what: string) => void process.stderr.write(`  ${what} …\n`);
