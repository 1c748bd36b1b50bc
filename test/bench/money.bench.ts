import { clusterAvailability } from '../../apps/cluster/src/cluster.js';
import type { BenchReport } from './bench.js';
import { cleanup } from './cleanup.js';
import { purchaseTimes } from './money/purchases.js';
import { Shop } from './money/shop.js';

/** Measures how soon a purchase takes effect (`npm run bench money`). */
export async function measure(): Promise<BenchReport> {
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
