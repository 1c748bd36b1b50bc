import { setupDurablePostgres } from '../environment/setup.js';
import teardown from '../environment/teardown.js';
import { BillingUnderTest } from '../billing/billing-under-test.js';
import type { BenchReport, BenchRow } from './bench.js';
import { cleanup } from './cleanup.js';
import { answerTimes } from './money/callbacks.js';
import { invoicePages } from './money/invoice-pages.js';
import { purchaseTimes } from './money/purchases.js';
import { renewals } from './money/renewals.js';

const SUBSCRIPTIONS = 2_000;
const SHORT_SUBSCRIPTIONS = 400;

/** `npm run bench money`: how soon what was paid works, how callbacks are answered, a month's renewals at once, an invoice. */
export async function run(
  _figures?: string[],
  { isShort } = { isShort: false },
): Promise<BenchReport> {
  process.stderr.write('  purchases …\n');
  const rows: BenchRow[] = await purchaseTimes();
  await cleanup.run();
  cleanup.add(teardown);
  await setupDurablePostgres();
  const billing = await BillingUnderTest.start();
  cleanup.add(() => billing.stop());
  process.stderr.write('  callbacks …\n');
  rows.push(...(await answerTimes(billing, isShort ? SHORT_SUBSCRIPTIONS : SUBSCRIPTIONS)));
  process.stderr.write('  renewals …\n');
  rows.push(...(await renewals(billing)));
  process.stderr.write('  invoices …\n');
  rows.push(...(await invoicePages()));
  return { title: 'money: from the payment to the key, callbacks, renewals, invoices', rows };
}
