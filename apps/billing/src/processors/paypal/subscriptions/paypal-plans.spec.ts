import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestClock } from '#test/environment';
import { PaymentsSimulator } from '../../../../../simulators/src/payments/payments-simulator.js';
import { CallRate } from '../../call-rate.js';
import { PaypalConnection } from '../paypal-connection.js';
import { PaypalPlans } from './paypal-plans.js';
import { SubscriptionsClient } from './subscriptions-client.js';

const clock = new TestClock();
const simulator = new PaymentsSimulator(clock);
let apiUrl: string;
beforeAll(async () => {
  apiUrl = `${await simulator.start()}/paypal`;
});
afterAll(() => simulator.stop());

const PLAN = {
  sku: 'api-5K-month',
  catalogueVersion: '2026-10',
  interval: 'month',
  name: 'API plan 5K',
  unitMicros: 10_000_000n,
  taxPpm: 0,
} as const;

/** The plans as a process that has just started sees them. */
function plans(): PaypalPlans {
  const credentials = { clientId: 'simulator', clientSecret: () => 'secret' };
  const connection = { ...credentials, apiUrl, clock, rate: new CallRate(1_000) };
  return new PaypalPlans(new SubscriptionsClient(new PaypalConnection(connection)));
}

it('a plan of an earlier release no longer lets PayPal add unpaid periods to later bills', async () => {
  const { id } = await plans().find(PLAN, 'USD');
  const atPaypal = simulator.paypal.world.get('plan', id);
  const wanted = { auto_bill_outstanding: false, payment_failure_threshold: 1 };
  expect(atPaypal.payment_preferences).toEqual(wanted);
  const { calls } = simulator.paypal.api;
  await plans().get(id);
  // Nothing is changed, so there are only a token and the plan.
  expect(simulator.paypal.api.calls).toBe(calls + 2);
  atPaypal.payment_preferences = { auto_bill_outstanding: true, payment_failure_threshold: 3 };
  expect(await plans().get(id)).toMatchObject({ id, sku: PLAN.sku });
  expect(atPaypal.payment_preferences).toEqual(wanted);
});
