import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { Stripe } from 'stripe';
import { DAY_MS } from '#libs/platform';
import { TestClock } from '#test/environment';
import { PaymentsSimulator } from './payments-simulator.js';

const folder = mkdtempSync(join(tmpdir(), 'dds-payments-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'payments.journal');
const clock = new TestClock();

async function started(): Promise<{ simulator: PaymentsSimulator; url: string; stripe: Stripe }> {
  const simulator = new PaymentsSimulator(clock);
  const url = await simulator.start(0, path);
  const at = { protocol: 'http' as const, host: 'localhost', port: new URL(url).port };
  return { simulator, url, stripe: new Stripe('sk_test_simulator', at) };
}

const recurring = { interval: 'month' as const };
const priceOf = (stripe: Stripe, cents: number) =>
  stripe.prices.create({
    currency: 'usd',
    unit_amount: cents,
    recurring,
    product_data: { name: 'Plan' },
  });

it('a subscription is renewed and changed after a restart, with its earlier ids', async () => {
  const first = await started();
  const customer = await first.stripe.customers.create({});
  const price = await priceOf(first.stripe, 1900);
  const session = await first.stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: 'http://localhost/paid',
  });
  await fetch(`${session.url}/pay`, { method: 'POST', redirect: 'manual' });
  const { subscription: id } = await first.stripe.checkout.sessions.retrieve(session.id);
  const before = await first.stripe.subscriptions.retrieve(id as string);
  await first.simulator.stop();
  clock.advance(40 * DAY_MS);

  const second = await started();
  const { stripe } = second;
  second.simulator.clock.runDue();
  const renewed = await stripe.subscriptions.retrieve(before.id);
  const [item] = renewed.items.data;
  expect(item.current_period_start).toBe(before.items.data[0].current_period_end);
  expect(item.id).toBe(before.items.data[0].id);
  const larger = await priceOf(stripe, 4900);
  const items = [{ id: item.id, price: larger.id }];
  await stripe.subscriptions.update(before.id, { items, proration_behavior: 'always_invoice' });
  await second.simulator.stop();

  const third = await started();
  const changed = await third.stripe.subscriptions.retrieve(before.id);
  expect(changed.items.data[0].price.id).toBe(larger.id);
  expect((await third.stripe.invoices.list({})).data).toHaveLength(3);
  await third.simulator.stop();
});

it('pages keep their addresses after a restart, unless another process uses the port', async () => {
  const first = await started();
  await first.simulator.stop();
  const second = await started();
  expect(second.url).toBe(first.url);
  const other = await started();
  expect(other.url).not.toBe(first.url);
  await second.simulator.stop();
  await other.simulator.stop();
});

it('if a full disk cuts off a line, only that line’s request is lost', async () => {
  const first = await started();
  const before = await first.stripe.customers.create({});
  appendFileSync(path, '{"to":"stripe","method":"PO');
  const after = await first.stripe.customers.create({});
  await first.simulator.stop();
  const { simulator, stripe } = await started();
  expect((await stripe.customers.retrieve(before.id)).id).toBe(before.id);
  expect((await stripe.customers.retrieve(after.id)).id).toBe(after.id);
  await simulator.stop();
});

it.each([
  '/stripe/checkout/cs_gone/pay',
  '/stripe/portal/bps_gone/card-works',
  '/stripe/invoice/in_gone/pay',
  '/paypal/checkoutnow/GONE/pay',
  '/paypal/subscribe/I-GONE/pay',
  '/paypal/revise/BA-GONE/agree',
])('a button press on the missing page %s does not prevent the next start', async (page) => {
  const first = await started();
  expect((await fetch(`${first.url}${page}`, { method: 'POST' })).status).toBe(404);
  await first.simulator.stop();
  await (await started()).simulator.stop();
});

it('a request that fails because of its body does not prevent the next start', async () => {
  const first = await started();
  const paypal = `${first.url}/paypal`;
  const post = (at: string, authorization: string, body: string) =>
    fetch(`${paypal}${at}`, { method: 'POST', headers: { authorization }, body });
  const asked = await post('/v1/oauth2/token', `Basic ${btoa('client:secret')}`, '');
  const { access_token: token } = (await asked.json()) as { access_token: string };
  expect((await post('/v2/checkout/orders', `Bearer ${token}`, '{')).status).toBe(500);
  await first.simulator.stop();
  await (await started()).simulator.stop();
});
