import { afterAll, expect, it } from '@jest/globals';
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
afterAll(() => simulator.stop());
const usd = (value: string) => ({ currency_code: 'USD', value });

async function client(): Promise<PaypalClient> {
  const apiUrl = `${await simulator.start()}${PAYPAL_PATH}`;
  const credentials = { clientId: 'simulator', clientSecret: () => 'secret' };
  return new PaypalClient(
    new PaypalConnection({ ...credentials, apiUrl, clock, rate: new CallRate(1_000) }),
  );
}

it('nothing is worth zero, and every dispute is listed, over as many pages as it takes', async () => {
  const paypal = await client();
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
  await paypal.captureOrder(id!, 'capture');
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
