import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CATALOGUE_VERSION } from '#libs/contracts';
import { HOUR_MS, newId } from '#libs/platform';
import { TestClock } from '#test/environment';
import { CallRate } from '../../../billing/src/processors/call-rate.js';
import { StripeProcessor } from '../../../billing/src/processors/stripe/stripe-processor.js';
import { PaymentsSimulator } from './payments-simulator.js';

const clock = new TestClock();
const simulator = new PaymentsSimulator(clock);
let page: string;

beforeAll(async () => {
  const processor = new StripeProcessor({
    apiKey: () => 'sk_test_simulator',
    callbackSecrets: () => ['a secret of the tests'],
    apiUrl: await simulator.start(),
    rate: new CallRate(1_000),
    clock,
  });
  const unitMicros = 10_000_000n;
  const name = 'API plan 5K';
  const price = { amountMicros: unitMicros, taxMicros: 0n, taxPpm: 0 };
  const plan = {
    sku: 'api-5K-month',
    catalogueVersion: CATALOGUE_VERSION,
    interval: 'month' as const,
    name,
    unitMicros,
    taxPpm: 0,
  };
  const created = await processor.createCheckout({
    orderId: newId(),
    accountId: newId(),
    currency: 'USD',
    lines: [{ name, quantity: 1, ...price, plan }],
    expiresAt: new Date(clock.now().getTime() + HOUR_MS),
    successUrl: 'http://localhost:1/paid',
    cancelUrl: 'http://localhost:1/not-paid',
  });
  page = created.outcome === 'done' ? created.value.redirectUrl : '';
});
afterAll(() => simulator.stop());

it('a plan is paid by card, in the currency of its price: its checkout neither offers nor accepts a bank debit', async () => {
  const text = await (await fetch(page)).text();
  expect(text).not.toContain('bank debit');
  expect(text).not.toContain('your own currency');
  for (const action of ['delayed', 'delayed-failing']) {
    const { status } = await fetch(`${page}/${action}`, { method: 'POST', redirect: 'manual' });
    expect([action, status]).toEqual([action, 400]);
  }
  const paid = await fetch(`${page}/pay`, { method: 'POST', redirect: 'manual' });
  expect(paid.headers.get('location')).toBe('http://localhost:1/paid');
});
