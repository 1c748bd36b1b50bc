import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MINUTE_MS } from '#libs/platform';
import { TestClock } from '#test/environment';
import { CallRate } from '../../../../billing/src/processors/call-rate.js';
import { PaypalClient } from '../../../../billing/src/processors/paypal/paypal-client.js';
import { PaypalConnection } from '../../../../billing/src/processors/paypal/paypal-connection.js';
import { listPaypalMoney } from '../../../../billing/src/processors/paypal/paypal-money.js';
import { PaymentsSimulator } from '../payments-simulator.js';
import { PAYPAL_PATH } from './paypal-simulator.js';

const clock = new TestClock();
const simulator = new PaymentsSimulator(clock);
let apiUrl: string;
beforeAll(async () => {
  apiUrl = `${await simulator.start()}${PAYPAL_PATH}`;
});
afterAll(() => simulator.stop());
const usd = (value: string) => ({ currency_code: 'USD', value });

function client(): PaypalClient {
  const credentials = { clientId: 'simulator', clientSecret: () => 'secret' };
  return new PaypalClient(
    new PaypalConnection({ ...credentials, apiUrl, clock, rate: new CallRate(1_000) }),
  );
}

it('an amount of zero is refused, and disputes are listed on as many pages as necessary', async () => {
  const paypal = client();
  const order = (value: string, key: string) =>
    paypal.createOrder(
      {
        intent: 'CAPTURE',
        purchase_units: [
          {
            custom_id: 'ours',
            amount: { ...usd(value), breakdown: { item_total: usd(value) } },
            items: [
              {
                name: 'Credits',
                quantity: '1',
                unit_amount: usd(value),
                category: 'DIGITAL_GOODS',
              },
            ],
          },
        ],
        payment_source: {
          paypal: {
            experience_context: {
              return_url: 'http://localhost/paid',
              cancel_url: 'http://localhost/not-paid',
              user_action: 'PAY_NOW',
              shipping_preference: 'NO_SHIPPING',
              payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
            },
          },
        },
      },
      key,
    );
  const zero = { status: 422, issue: 'CANNOT_BE_ZERO_OR_NEGATIVE' };
  await expect(order('0.00', 'free')).rejects.toMatchObject(zero);
  const { id } = await order('19.00', 'paid');
  simulator.paypal.orders.approve(id!, 'pays');
  await paypal.captureOrder(id!);
  const [capture] = simulator.paypal.world.all('capture');
  const nothing = { amount: usd('0.00'), custom_id: 'ours' };
  await expect(paypal.refundCapture(capture.id, nothing, 'refund')).rejects.toMatchObject(zero);

  const start = clock.now();
  const disputes = Array.from(
    { length: 51 },
    () => simulator.paypal.captures.dispute(capture.id).dispute_id,
  );
  clock.advance(MINUTE_MS);
  const listed = await listPaypalMoney(paypal, start, clock.now());
  const ids = listed.filter(({ kind }) => kind === 'dispute').map((ref) => ref.id);
  expect(ids.toSorted()).toEqual(disputes.toSorted());
});

it.each([
  ['v2/checkout/orders', { intent: 'CAPTURE' }],
  ['v2/checkout/orders', { intent: 'CAPTURE', purchase_units: [] }],
  ['v1/catalogs/products', { name: 'Plans' }],
  ['v1/billing/plans', { product_id: 'dds', name: 'A plan' }],
  ['v1/billing/subscriptions', { quantity: '1' }],
  ['v1/billing/subscriptions/I-1/cancel', {}],
])('a request without a required parameter is refused: %s %j', async (path, body) => {
  const answer = await fetch(`${apiUrl}/${path}`, {
    method: 'POST',
    headers: { authorization: simulator.paypal.api.ownAuthorization() },
    body: JSON.stringify(body),
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { name: 'INVALID_REQUEST', details: [{ issue: 'MISSING_REQUIRED_PARAMETER' }] },
  ]);
});
