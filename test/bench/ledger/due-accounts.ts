import { DAY_MS, addMonths } from '#libs/platform';
import type { EntitlementUnderTest } from '../../entitlement/entitlement-under-test.js';
import { type BenchRow, atMost } from '../bench.js';
import { writeRows } from './written-rows.js';

const ACCOUNTS = 100_000;
const ACCOUNTS_SHORT = 20_000;
const CREDITS = 15_000;
const TARGET_MINUTES = 10;

/** The second month of a year begins for every customer in one moment. */
export async function measure(
  entitlement: EntitlementUnderTest,
  isShort: boolean,
): Promise<BenchRow[]> {
  const count = isShort ? ACCOUNTS_SHORT : ACCOUNTS;
  const begin = entitlement.clock.now();
  await writeRows(entitlement, async (client) => {
    const values = [count, begin, CREDITS];
    await client.query(
      `insert into payment_lines (line_id, payment_id, account_id, kind, sku, quantity, amount_micros,
         subscription_id, period_interval, period_start, period_end, from_at, monthly_credits, heard_at)
       select pg_temp.line(n), pg_temp.line(n), pg_temp.account(n), 'subscription', 'bench', 1, 1000000,
         pg_temp.line(n), 'year', $2, $4, $2, $3, $2
       from generate_series(1, $1) n`,
      [...values, addMonths(begin, 12)],
    );
    await client.query(
      `insert into credit_accounts (id, available, next_due_at, advanced_to, last_granted)
       select pg_temp.account(n), 0, $2, $2::timestamptz - interval '1 second', $3
       from generate_series(1, $1) n`,
      values,
    );
  });
  // The first month is issued to all, as it would have been when they paid.
  await entitlement.advanceAll();
  entitlement.clock.set(new Date(addMonths(begin, 1).getTime() + DAY_MS));
  const startedAt = performance.now();
  await entitlement.advanceAll();
  const seconds = (performance.now() - startedAt) / 1000;
  const [{ grants }] = await entitlement.database.query<{ grants: number }>(
    'select count(*)::int as grants from credit_grants',
  );
  if (grants !== 2 * count) throw new Error(`${grants} slices were issued`);
  // As long as all of them would take, where it is a part.
  const minutes = ((seconds / count) * ACCOUNTS) / 60;
  return [
    { what: 'accounts due by time', value: count / seconds, unit: 'accounts/s' },
    atMost(
      `${ACCOUNTS} of them${isShort ? `, from ${count}` : ''}`,
      minutes,
      TARGET_MINUTES,
      'min',
    ),
  ];
}
