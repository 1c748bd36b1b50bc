import type { ToldHistory } from '../../entitlement/histories/told-history.js';
import type { BillingUnderTest } from '../billing-under-test.js';
import { MoneyHistory } from './money-history.js';

const ACCOUNTS = 50;
const DAYS = 400;
const SKUS = ['api-15K-month', 'api-15K-year', 'api-50K-month', 'api-50K-year', 'api-5K-year'];
/** Every fifth customer's card is declined for a week in the third month. */
const FAILING_EVERY = 5;
const FAILS_FROM = 60;
const FAILS_UNTIL = 67;

/**
 * Lets customers start at the end of a month, and lets the days pass one by one. In the end, all periods must have been
 * paid without a gap, and each late payer must be active again.
 * @returns the customers' histories.
 * @throws Error if either is not the case; the errors of the histories.
 */
export async function travel(billing: BillingUnderTest): Promise<ToldHistory[]> {
  billing.clock.set('2027-12-31T23:30:00Z');
  const histories: MoneyHistory[] = [];
  for (let at = 0; at < ACCOUNTS; at += 1) {
    const history = await MoneyHistory.begin(billing, 'stripe');
    await history.run({ kind: 'subscribe', sku: SKUS[at % SKUS.length] });
    histories.push(history);
  }
  const failing = histories.filter((_, at) => at % FAILING_EVERY === 0);
  for (let day = 1; day <= DAYS; day += 1) {
    const works = day === FAILS_UNTIL;
    if (works || day === FAILS_FROM) {
      for (const history of failing) await history.run({ kind: 'card', works });
    }
    // Time passes for all customers, and their callbacks arrive.
    await histories[0].run({ kind: 'advance', days: 1 });
  }
  for (const history of histories) await history.end();
  const unpaid = await billing.database.query(
    `select sku, state, period_start, period_end, paid_through from subscriptions
     where state <> 'active' or paid_through <> period_end or period_end < $1`,
    [billing.clock.now()],
  );
  const gaps = await billing.database.query(
    `select subscription_id, period_start from payment_lines l where period_start > (
       select min(period_start) from payment_lines f where f.subscription_id = l.subscription_id)
     and not exists (select from payment_lines b where b.subscription_id = l.subscription_id
       and b.period_end = l.period_start)`,
  );
  const faults = [...unpaid, ...gaps].map((row) => JSON.stringify(row));
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return Promise.all(histories.map((history, at) => history.told(`traveller ${at + 1}`)));
}
