import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Stripe } from 'stripe';
import { SystemClock } from '#libs/platform';
import { PaymentsSimulator } from '../../../apps/simulators/src/payments/payments-simulator.js';
import { STRIPE_PYTHON } from './python-sdk.js';

type SessionParams = Stripe.Checkout.SessionCreateParams;

/**
 * Makes purchases with Stripe's SDK for Node. Some of them are refused.
 * @returns the result of each.
 */
async function purchasesInNode(url: string, key: string): Promise<unknown[]> {
  const { hostname: host, port } = new URL(url);
  const stripe = new Stripe('sk_test_simulator', {
    protocol: 'http',
    host,
    port,
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const seen: unknown[] = [];
  const refusal = async (call: Promise<unknown>) => {
    seen.push(await refusalOf(call));
  };
  const session = (params: SessionParams) =>
    stripe.checkout.sessions.create({
      success_url: 'http://localhost/paid',
      cancel_url: 'http://localhost/not-paid',
      ...params,
    });

  const options = { idempotencyKey: key };
  const customer = await stripe.customers.create({ metadata: { account: '1' } }, options);
  const again = await stripe.customers.create({ metadata: { account: '1' } }, options);
  const { headers } = again.lastResponse;
  seen.push(again.id === customer.id && headers['idempotent-replayed']);
  await refusal(stripe.customers.create({ metadata: { account: '2' } }, options));

  const buyer: SessionParams = { customer: customer.id, mode: 'payment' };
  await refusal(session({ ...buyer, line_items: [item(49)] }));
  await refusal(session({ ...buyer, customer: 'cus_unknown', line_items: [item(1900)] }));
  await refusal(session(buyer));
  const unknown = { ...item(1900), colour: 'red' } as Stripe.Checkout.SessionCreateParams.LineItem;
  await refusal(session({ ...buyer, line_items: [unknown] }));

  const bought = await session({ ...buyer, line_items: [item(1900)] });
  await press(bought.url!, 'pay');
  const paid = await stripe.checkout.sessions.retrieve(bought.id, { expand: ['payment_intent'] });
  const intent = paid.payment_intent as Stripe.PaymentIntent;
  seen.push([paid.status, paid.payment_status, intent.amount_received]);
  await refusal(stripe.refunds.create({ payment_intent: intent.id, amount: 1901 }));
  seen.push((await stripe.refunds.create({ payment_intent: intent.id })).status);
  await refusal(stripe.refunds.create({ payment_intent: intent.id }));
  await refusal(stripe.refunds.create({ payment_intent: 'pi_unknown' }));

  const price = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 1900,
    recurring: { interval: 'month' },
    product_data: { name: 'Plan' },
  });
  const line = { price: price.id, quantity: 1 };
  const plan = await session({ ...buyer, mode: 'subscription', line_items: [line] });
  await press(plan.url!, 'pay');
  const { subscription } = await stripe.checkout.sessions.retrieve(plan.id);
  const id = subscription as string;
  seen.push((await stripe.subscriptions.retrieve(id)).items.data[0].quantity);
  seen.push((await stripe.subscriptions.cancel(id)).status);
  await refusal(stripe.subscriptions.cancel(id));
  await refusal(stripe.customers.retrieve('cus_unknown'));

  for (let count = 0; count < 4; count += 1) await stripe.customers.create({});
  const everyone: string[] = [];
  for await (const one of stripe.customers.list({ limit: 2 })) everyone.push(one.id);
  const isEachOnce = new Set(everyone).size === everyone.length && everyone.length >= 5;
  seen.push([isEachOnce, everyone.indexOf(customer.id) >= 4]);
  return seen;
}

async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error as InstanceType<typeof Stripe.errors.StripeError>,
  );
  if (!error) return 'no refusal';
  const { statusCode, rawType, code = null, param = null } = error;
  return [statusCode, rawType, code, param];
}

const item = (cents: number) => ({
  quantity: 1,
  price_data: { currency: 'usd', unit_amount: cents, product_data: { name: 'Credits' } },
});

async function press(page: string, button: string): Promise<void> {
  const { status } = await fetch(`${page}/${button}`, { method: 'POST', redirect: 'manual' });
  if (status !== 303) throw new Error(`the page answered ${status}`);
}

const invalid = (status: number, code: string | null, param: string | null) => [
  status,
  'invalid_request_error',
  code,
  param,
];

/** Stripe's documented answers, step by step (docs.stripe.com/api/errors and /error-codes). */
const AS_STRIPE = [
  'true',
  [400, 'idempotency_error', null, null],
  invalid(400, 'amount_too_small', null),
  invalid(400, 'resource_missing', 'customer'),
  invalid(400, 'parameter_missing', 'line_items'),
  invalid(400, 'parameter_unknown', 'line_items[0][colour]'),
  ['complete', 'paid', 1900],
  invalid(400, null, 'amount'),
  'succeeded',
  invalid(400, 'charge_already_refunded', null),
  invalid(400, 'resource_missing', 'payment_intent'),
  1,
  'canceled',
  invalid(404, 'resource_missing', 'id'),
  invalid(404, 'resource_missing', 'id'),
  [true, true],
];

describe('Stripe’s own SDKs, used with the simulator', () => {
  const simulator = new PaymentsSimulator(new SystemClock());
  let url: string;
  beforeAll(async () => {
    url = await simulator.start();
  });
  afterAll(() => simulator.stop());

  it('for Node: purchases, rejections, replays and pages get the same results as from Stripe', async () => {
    expect(await purchasesInNode(url, 'node')).toEqual(AS_STRIPE);
  });

  (STRIPE_PYTHON.availability() === undefined ? it : it.skip)(
    'for Python: purchases, rejections, replays and pages behave like Stripe',
    async () => {
      const python = await STRIPE_PYTHON.python();
      const script = resolve('test/billing/stripe-sdks/purchases.py');
      const { stdout } = await promisify(execFile)(python, [script, url, 'python']);
      expect(JSON.parse(stdout)).toEqual(AS_STRIPE);
    },
    360_000,
  );
});
