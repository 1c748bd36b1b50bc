import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PaymentReversed } from '#libs/contracts';
import type { Callback } from '../../apps/simulators/src/payments/callback-sender.js';
import { BillingUnderTest, CALLBACK_SECRET } from './billing-under-test.js';
import { pressButton } from './hosted-page.js';
import { permutationsOf } from '../permutations.js';
import { signedCallback } from './signed-callback.js';

const CALLBACKS = 6;

interface Purchase {
  accountId: string;
  orderOfCallbacks: readonly number[];
  callbacks: readonly Callback[];
}

let billing: BillingUnderTest;

beforeAll(async () => {
  billing = await BillingUnderTest.start();
});
afterAll(() => billing.stop());

/**
 * Makes a purchase that is paid, partly refunded and disputed, and whose dispute is lost, before any callback arrives.
 */
async function purchase(orderOfCallbacks: readonly number[]): Promise<Purchase> {
  const { callbacks, payments, world } = billing.simulator;
  const accountId = billing.newAccount();
  const order = await billing.order(accountId);
  callbacks.hold();
  await pressButton(order.redirect_url as string, 'pay');
  const payment = world.all('checkout.session')[0].payment_intent as string;
  payments.refund({ payment_intent: payment, amount: 1_000 });
  payments.decideDispute(payments.dispute(payment).id, 'lost');
  return { accountId, orderOfCallbacks, callbacks: callbacks.takeHeld() };
}

async function eventsOf({ accountId }: Purchase): Promise<string> {
  const said = (await billing.events(accountId)).map(({ type, data }) => {
    const { phase, cause, lines } = data as unknown as PaymentReversed;
    return [type, cause, phase, lines[0].refundedMicros].join(' ');
  });
  return said.sort().join(', ');
}

it('S49: all 720 orders of the six callbacks of a refunded and disputed purchase lead to the same events', async () => {
  const purchases: Purchase[] = [];
  for (const order of permutationsOf(CALLBACKS)) purchases.push(await purchase(order));
  expect(new Set(purchases.map(({ callbacks }) => callbacks.length))).toEqual(new Set([CALLBACKS]));
  for (let nth = 0; nth < CALLBACKS; nth++) {
    // Accounts do not affect each other, so the nth callback of each of them arrives before billing handles any.
    for (const { callbacks, orderOfCallbacks } of purchases) {
      const body = Buffer.from(callbacks[orderOfCallbacks[nth]].body);
      const headers = signedCallback(body, CALLBACK_SECRET, billing.clock.now());
      expect(await billing.call('POST', 'callbacks/stripe', { body, headers })).toMatchObject({
        status: 200,
      });
    }
    await billing.settle();
  }
  const outcomes = new Map<string, number>();
  for (const one of purchases) {
    const events = await eventsOf(one);
    outcomes.set(events, (outcomes.get(events) ?? 0) + 1);
  }
  const expected = [
    'billing.payment-confirmed   ',
    'billing.payment-reversed dispute final 54000000',
    'billing.payment-reversed refund final 10000000',
  ].join(', ');
  expect([...outcomes]).toEqual([[expected, purchases.length]]);
});
