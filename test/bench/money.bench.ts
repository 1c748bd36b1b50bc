import { clusterAvailability } from '../../apps/cluster/src/cluster.js';
import { type BenchOptions, type BenchReport, openPostgres } from './bench.js';
import { cleanup } from './cleanup.js';
import { purchaseTimes } from './money/purchases.js';
import { renewalHour } from './money/renewal-hour.js';
import { Shop } from './money/shop.js';

/** The second bench takes three quarters of an hour, so it runs only when it is named. */
export const MONEY_FIGURES = ['purchases', 'renewal-hour'] as const;

const RENEWALS = 100_000;
const SHORT_RENEWALS = 5_000;

/**
 * `npm run bench money`: how soon a purchase takes effect. `npm run bench renewal-hour`: 100,000 renewals (5,000 with
 * `--short`, or as many as `--count`), with `--rate` calls per second to the processor.
 */
export async function run(
  figures: readonly string[] = [],
  { isShort, count, rate }: BenchOptions = { isShort: false },
): Promise<BenchReport> {
  if (figures.includes('renewal-hour')) {
    await openPostgres();
    const rows = await renewalHour(count ?? (isShort ? SHORT_RENEWALS : RENEWALS), rate);
    return { title: 'money: an hour of renewals', rows };
  }
  const title = 'money: from the payment to the key';
  const inSolo = { where: 'in solo', targetMs: 200 };
  const rows = await purchaseTimes(await Shop.inSolo(), inSolo);
  await cleanup.run();
  const missing = clusterAvailability();
  if (missing !== undefined) return { title, rows, notRun: [`purchases on Kafka: ${missing}`] };
  const onKafka = { where: 'on Kafka', targetMs: 1_000 };
  rows.push(...(await purchaseTimes(await Shop.onKafka(), onKafka)));
  return { title, rows };
}
