import { setTimeout as sleep } from 'node:timers/promises';
import { clusterAvailability } from '../../../apps/cluster/src/cluster.js';
import { holds } from '../environment/broken.js';
import { type ApartScenario, type Harness } from '../scenario.js';
import type { Customer } from '../environment/customer.js';
import { eventually } from '../environment/patience.js';
import { killAndRestart } from '../environment/restart.js';
import { Shop } from '../environment/shop.js';

/** The services that run jobs; billing is listed more often, because every purchase passes through it. */
const TARGETS = [
  'billing',
  'billing',
  'account',
  'entitlement',
  'worker',
  'corpus',
  'dashboard',
] as const;
const KILLS = 10;
const LONG_KILLS = 40;
const PAUSE_MAX_MS = 3_000;
/** After this many kills all jobs are made due again, including daily ones. */
const DUE_EACH = 10;
const CUSTOMERS = 3;
const CREDITS = 5_000;

export const killsWhileBuyingRow: ApartScenario = {
  name: 'kills while people buy',
  fault: `${KILLS} times, with --long ${LONG_KILLS} times, kill -9 of one of ${[...new Set(TARGETS)].join(', ')} while customers pay at a processor`,
  expectation:
    'each purchase is paid and granted once, without manual intervention, also if its jobs are killed',
  isApart: true,
  missing: () => clusterAvailability(),
  run: async (harness) => {
    const shop = await Shop.open(CUSTOMERS);
    try {
      await killWhileBuying(harness, shop);
    } finally {
      await shop.close();
    }
  },
};

async function killWhileBuying(harness: Harness, shop: Shop): Promise<void> {
  const ending = new AbortController();
  const doing = [
    killMany(harness, shop, ending),
    ...shop.customers.map((customer) => buyOn(harness, shop, customer, ending.signal)),
  ];
  try {
    await Promise.all(doing);
  } finally {
    ending.abort();
    await Promise.allSettled(doing);
  }
  await shop.checker.check({ unbilledMax: 0 });
  await checkPaidOnce(shop);
}

async function killMany(harness: Harness, shop: Shop, ending: AbortController): Promise<void> {
  const { random, isLong } = harness;
  const kills = isLong ? LONG_KILLS : KILLS;
  for (let kill = 0; kill < kills && !ending.signal.aborted; kill += 1) {
    if (kill % DUE_EACH === 0) await makeJobsDue(shop);
    await sleep(random.between(100, PAUSE_MAX_MS));
    const target = TARGETS[random.between(0, TARGETS.length - 1)];
    await killAndRestart(shop.process(target), harness);
    if (kill % DUE_EACH === 0) harness.say(`${kill + 1} kills`);
  }
  ending.abort();
}

/** Makes every periodic job due, so that kills hit daily ones, too. */
async function makeJobsDue(shop: Shop): Promise<void> {
  const tables = await shop.sql<{ name: string }>(
    `select schemaname || '.job_lease' as name from pg_tables where tablename = 'job_lease'`,
  );
  for (const { name } of tables)
    await shop.sql(`update ${name} set last_run_at = clock_timestamp() - interval '2 days'`);
}

/** Buys packages one after another, and completes the last one that was started. */
async function buyOn(
  { count }: Harness,
  shop: Shop,
  customer: Customer,
  ending: AbortSignal,
): Promise<void> {
  const { accountId } = customer;
  while (!ending.aborted) {
    const orderId = await customer.buy(CREDITS);
    const [{ id: lineId }] = await eventually('the payment of an order', async () => {
      const rows = await shop.sql<{ id: string }>(
        `select l.id from billing.payments p join billing.payment_lines l on l.payment_id = p.id
         where p.order_id = $1`,
        [orderId],
      );
      return rows.length > 0 && rows;
    });
    // A grant names the payment line that it comes from.
    shop.book.payments.push({ paymentId: lineId, accountId, credits: CREDITS });
    await shop.checker.granted(lineId);
    count('purchases');
  }
}

/** Checks that orders repeated after a lost answer were not charged twice. */
async function checkPaidOnce(shop: Shop): Promise<void> {
  const [{ payments }] = await shop.sql<{ payments: number }>(
    `select count(*)::int as payments from billing.payments where account_id = any($1::uuid[])`,
    [[...shop.book.accounts.keys()]],
  );
  holds(
    payments === shop.book.payments.length,
    `${payments} payments are stored, but ${shop.book.payments.length} were made`,
  );
}
