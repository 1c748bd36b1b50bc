import { MINUTE_MS, addMonths, newId } from '#libs/platform';
import type { CrashWorld } from '../../billing/crashes/crash-world.js';
import { Subscribing } from '../../billing/crashes/money-flows.js';

/** The minutes of the hour in which they begin; they renew a month later. */
const MINUTES = 60;
const BATCH = 500;

/** The rows of the purchased subscription, by table. */
type Template = Record<'orders' | 'payments' | 'payment_lines' | 'subscriptions', string>;

interface Copy {
  account: string;
  order: string;
  subscription: string;
  payment: string;
  customer: string;
  external: string;
  bill: string;
}

/**
 * Creates subscriptions that begin within one hour and whose first period is paid. One is bought as customers buy; the
 * others are copies of it at the processor and in billing's rows.
 * @returns the end of each minute in which some of them renew.
 */
export async function seedSubscriptions(world: CrashWorld, count: number): Promise<Date[]> {
  const bought = new Subscribing();
  await bought.prepare(world);
  await bought.act(world);
  const [template] = await world.database.query<Template>(
    `select s.id as subscriptions, s.order_id as orders, l.payment_id as payments, l.id as payment_lines
     from subscriptions s join payment_lines l on l.subscription_id = s.id`,
  );
  const start = world.clock.now().getTime();
  const { faults } = world.simulator.callbacks;
  faults.drop = true;
  const renewals: Date[] = [];
  let seeded = 0;
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    const from = new Date(start + minute * MINUTE_MS);
    world.clock.set(from);
    renewals.push(addMonths(from, 1));
    const until = Math.floor((minute * count) / MINUTES);
    for (; seeded < until; seeded += BATCH) {
      const copies = Array.from({ length: Math.min(BATCH, until - seeded) }, () => begun(world));
      await insertCopies(world, template, copies);
    }
    seeded = until;
  }
  faults.drop = false;
  return renewals;
}

/** Copies the subscription at the processor. */
function begun({ simulator }: CrashWorld): Copy {
  const [account, order] = [newId(), newId()];
  const [template] = simulator.world.all('customer');
  const customer = simulator.world.newId('customer');
  simulator.world.put({ ...template, id: customer });
  const [price] = simulator.world.all('price');
  const metadata = { orderId: order, accountId: account };
  const { id, latest_invoice: bill } = simulator.subscriptions.begin(
    customer,
    { price, quantity: 1 },
    metadata,
  );
  const own = { subscription: newId(), payment: newId(), external: id, bill: String(bill) };
  return { account, order, customer, ...own };
}

async function insertCopies(
  { database, clock }: CrashWorld,
  template: Template,
  copies: readonly Copy[],
): Promise<void> {
  const from = clock.now();
  const period = { period_start: from, period_end: addMonths(from, 1) };
  const insert = (table: keyof Template, rowOf: (copy: Copy) => object) =>
    database.query(
      `insert into ${table} select r.* from jsonb_array_elements($1::jsonb) c, ${table} t,
         lateral jsonb_populate_record(t, c) r
       where t.id = $2`,
      [
        JSON.stringify(copies.map((copy) => ({ account_id: copy.account, ...rowOf(copy) }))),
        template[table],
      ],
    );
  await insert('orders', ({ order, external }) => {
    return { id: order, request_key: order, checkout_id: `cs_${external}`, created_at: from };
  });
  await insert('subscriptions', ({ subscription, order, external }) => {
    const own = { id: subscription, order_id: order, external_id: external };
    return { ...own, ...period, paid_through: period.period_end };
  });
  await insert('payments', ({ payment, order, external, bill }) => {
    return { id: payment, order_id: order, external_id: `pi_${external}`, bill_id: bill };
  });
  await insert('payment_lines', ({ payment, subscription }) => {
    const own = { id: newId(), payment_id: payment, subscription_id: subscription };
    return { ...own, ...period, starts_at: from };
  });
  await database.query(
    `insert into processor_customers (account_id, processor, customer_id)
     select (c ->> 'account')::uuid, 'stripe', c ->> 'customer' from jsonb_array_elements($1::jsonb) c`,
    [JSON.stringify(copies)],
  );
}
