import { eventClassOf } from '#libs/contracts';
import { checkInvariants } from '#libs/database';
import { DAY_MS, addMonths } from '#libs/platform';
import { BILLING_INVARIANTS } from '../../../apps/billing/src/auditor/invariants.js';
import { EntitlementUnderTest } from '../../entitlement/entitlement-under-test.js';
import { BillingUnderTest } from '../billing-under-test.js';
import { pressButton } from '../hosted-page.js';

const SKUS = ['api-15K-month', 'api-15K-year', 'api-50K-month', 'api-50K-year', 'api-5K-year'];
/** Every fifth customer's card is declined for a week in the third month. */
const FAILING_EVERY = 5;
const FAILS_FROM = 60;
const FAILS_UNTIL = 67;
/** Billing deletes an event ten minutes after it was sent; on a busy machine the days take longer. */
const TOLD_EVERY_DAYS = 10;

interface ToldEvent {
  position: string;
  type: string;
  key: string;
  data: Record<string, unknown>;
}

export interface Travelled {
  summary: string;
  faults: string[];
}

/**
 * Customers start at the ends of months, and the days pass one by one. In the end, each period must be paid once, each
 * slice of credits granted, and each late payer active again.
 */
export async function travel({
  accounts,
  days,
}: Record<'accounts' | 'days', number>): Promise<Travelled> {
  const startedMs = performance.now();
  const entitlement = await EntitlementUnderTest.start('2027-12-31T23:30:00Z');
  const billing = await BillingUnderTest.start({ entitlementUrl: entitlement.service.url });
  const faults: string[] = [];
  const told: ToldEvent[] = [];
  try {
    const start = new Date('2027-12-31T23:30:00Z');
    billing.clock.set(start);
    const customers = await subscribed(billing, accounts);
    for (let day = 1; day <= days; day += 1) {
      if (day === FAILS_FROM || day === FAILS_UNTIL) {
        const card = day === FAILS_FROM ? 'declines' : 'works';
        customers.forEach((id, at) => {
          if (at % FAILING_EVERY === 0) billing.simulator.invoices.setCard(id, card);
        });
      }
      billing.clock.set(new Date(start.getTime() + day * DAY_MS));
      billing.simulator.clock.runDue();
      await billing.settle();
      if (day % TOLD_EVERY_DAYS === 0 || day === days)
        told.push(...(await newsAfter(billing, told)));
    }
    faults.push(
      ...(await faultsOf(billing, entitlement, { told, thirteenth: addMonths(start, 13) })),
    );
    const [{ payments }] = await billing.database.query<{ payments: string }>(
      'select count(*) as payments from payments',
    );
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    const summary = `${days} days of ${accounts} accounts: ${payments} payments, ${seconds} s; ${faults.length} faults`;
    return { summary, faults };
  } finally {
    await billing.stop();
    await entitlement.stop();
  }
}

/** @returns the customers' ids at the processor. */
async function subscribed(billing: BillingUnderTest, accounts: number): Promise<string[]> {
  for (let at = 0; at < accounts; at += 1) {
    const accountId = billing.newAccount();
    const body = { product: 'subscription', sku: SKUS[at % SKUS.length], processor: 'stripe' };
    const { body: order } = await billing.call('POST', 'orders', { accountId, body });
    await pressButton(order.redirect_url, 'pay');
  }
  await billing.settle();
  const all = billing.simulator.world.all('subscription').toReversed();
  return all.map(({ customer }) => customer as string);
}

async function newsAfter(
  { database }: BillingUnderTest,
  told: readonly ToldEvent[],
): Promise<ToldEvent[]> {
  return database.query<ToldEvent>(
    `select o.position::text, o.type, o.key, o.data from outbox o
     where o.position > $1 order by o.position`,
    [told.at(-1)?.position ?? '0'],
  );
}

async function faultsOf(
  billing: BillingUnderTest,
  entitlement: EntitlementUnderTest,
  { told, thirteenth }: { told: readonly ToldEvent[]; thirteenth: Date },
): Promise<string[]> {
  const auditor = await billing.test.auditor('billing');
  const violated = await checkInvariants(auditor, BILLING_INVARIANTS);
  const faults = [...violated.map((one) => JSON.stringify(one)), ...billing.logLines.splice(0)];
  const unpaid = await billing.database.query<object>(
    `select sku, state, period_start, period_end, paid_through from subscriptions
     where state <> 'active' or paid_through <> period_end or period_start < $1`,
    [new Date(thirteenth.getTime() - 366 * DAY_MS)],
  );
  faults.push(...unpaid.map((row) => `not paid through: ${JSON.stringify(row)}`));
  const gaps = await billing.database.query<object>(
    `select subscription_id, period_start from payment_lines l where period_start > (
       select min(period_start) from payment_lines f where f.subscription_id = l.subscription_id)
     and not exists (select from payment_lines b where b.subscription_id = l.subscription_id
       and b.period_end = l.period_start)`,
  );
  faults.push(...gaps.map((row) => `a gap before: ${JSON.stringify(row)}`));
  entitlement.clock.set(billing.clock.now());
  for (const { type, key, data } of told) {
    await entitlement.deliver(eventClassOf(type, 1)!, key, data);
  }
  await entitlement.advanceAll();
  const { body } = await billing.call('POST', 'operator/reconciliations', { caller: 'cli' });
  faults.push(...(body.findings as object[]).map((found) => JSON.stringify(found)));
  faults.push(...(await entitlement.violations()).map((found) => JSON.stringify(found)));
  return faults;
}
