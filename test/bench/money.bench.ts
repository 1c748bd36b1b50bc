import { setupDurablePostgres } from '../environment/setup.js';
import teardown from '../environment/teardown.js';
import { clusterAvailability } from '../../apps/cluster/src/cluster.js';
import { BillingUnderTest } from '../billing/billing-under-test.js';
import type { BenchReport, BenchRow } from './bench.js';
import { cleanup } from './cleanup.js';
import { answerTimes } from './money/callbacks.js';
import { invoicePages } from './money/invoice-pages.js';
import { purchaseTimes } from './money/purchases.js';
import { renewals } from './money/renewals.js';
import { Shop } from './money/shop.js';
import { timelineTimes } from './money/timeline.js';

const SUBSCRIPTIONS = 2_000;
const SHORT_SUBSCRIPTIONS = 400;

/**
 * `npm run bench money`: how soon what was paid works, how callbacks are answered, a month's renewals at once, an invoice,
 * an operator's look at a long life.
 */
export async function run(
  _figures?: string[],
  { isShort } = { isShort: false },
): Promise<BenchReport> {
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

const say = (what: string) => void process.stderr.write(`  ${what} …\n`);
