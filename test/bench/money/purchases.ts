import { type BenchRow, timesRows } from '../bench.js';
import type { Customer } from '../../stories/customer.js';
import type { Shop } from './shop.js';

const PURCHASES = 60;
const SIGN_UPS_AT_ONCE = 5;
const CREDITS = 15_000;
const WISHES = {
  'a package': { product: 'package', credits: CREDITS },
  'an add-on': { product: 'subscription', sku: 'rate-limit-month', quantity: 1 },
} as const;

/**
 * Measures the time from a payment at the simulated Stripe until a lookup is answered under the new limit. Each buyer
 * starts with the trial's limit, and buys first a package and then an add-on.
 */
export async function purchaseTimes(
  shop: Shop,
  { where, targetMs }: { where: string; targetMs: number },
): Promise<BenchRow[]> {
  const buyers: Customer[] = [];
  for (let first = 0; first < PURCHASES; first += SIGN_UPS_AT_ONCE) {
    const some = Array.from({ length: SIGN_UPS_AT_ONCE }, (_, at) => shop.signUp(first + at));
    buyers.push(...(await Promise.all(some)));
  }
  const rows: BenchRow[] = [];
  for (const [name, wish] of Object.entries(WISHES)) {
    const times: number[] = [];
    for (const buyer of buyers) times.push(await shop.buy(buyer, wish));
    const what = `${name} paid → the key has its limit, ${PURCHASES} times ${where}`;
    rows.push(...timesRows(what, times, targetMs));
  }
  for (const buyer of buyers) {
    const { body } = await buyer.call('GET', '/api/balance');
    if (body.spendable + body.reserved < CREDITS) throw new Error('a limit came without credits');
  }
  return rows;
}
