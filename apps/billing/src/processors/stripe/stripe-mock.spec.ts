import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CATALOGUE_VERSION, planOfSku } from '#libs/contracts';
import { DAY_MS, HOUR_MS, SystemClock, newId } from '#libs/platform';
import { faultsAtStripe, stripeMockProgram } from '../../../../../test/billing/stripe-mock.js';
import { PaymentsSimulator } from '../../../../simulators/src/payments/payments-simulator.js';
import type { CallResult, PlanRef } from '../payment-processor.js';
import { CallRate } from '../call-rate.js';
import { StripeProcessor } from './stripe-processor.js';

const program = stripeMockProgram();

/** Whether a call belongs to API v1, the only version that stripe-mock knows. The list of events is API v2. */
const isChecked = ({ path }: { path: string }) => path.startsWith('/v1/');

function valueOf<T>(outcome: CallResult<T>): T {
  if (outcome.outcome !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

function planRef(sku: string): PlanRef {
  const { interval, name, unitMicros } = planOfSku(sku)!;
  const price = { interval, name, unitMicros: BigInt(unitMicros), taxPpm: 190_000 };
  return { sku, catalogueVersion: CATALOGUE_VERSION, ...price };
}

(program ? describe : describe.skip)('requests to Stripe', () => {
  const clock = new SystemClock();
  let simulator: PaymentsSimulator;
  let processor: StripeProcessor;

  beforeAll(async () => {
    simulator = new PaymentsSimulator(clock);
    const apiUrl = await simulator.start();
    const callbackSecrets = () => ['the secret of the callback endpoint'];
    processor = new StripeProcessor({
      rate: new CallRate(1_000),
      apiKey: () => 'sk_test_simulator',
      apiUrl,
      callbackSecrets,
      clock,
    });
  });
  afterAll(() => simulator.stop());

  const checkout = async (plan?: PlanRef) =>
    valueOf(
      await processor.createCheckout({
        orderId: newId(),
        accountId: newId(),
        currency: 'USD',
        lines: [
          {
            name: 'A line',
            quantity: 1,
            amountMicros: 27_000_000n,
            taxMicros: 5_130_000n,
            taxPpm: 190_000,
            plan,
          },
        ],
        expiresAt: new Date(clock.now().getTime() + HOUR_MS),
        successUrl: 'https://dashboard.example/paid',
        cancelUrl: 'https://dashboard.example/not-paid',
      }),
    );

  async function buyOnce(): Promise<void> {
    const { checkoutId, customerId } = await checkout();
    simulator.sessions.pay(checkoutId);
    const paymentId = simulator.world.all('payment_intent')[0].id;
    const asked = { refundId: newId(), paymentId, amountMicros: 10_000n };
    const refund = valueOf(await processor.refund(asked));
    const dispute = simulator.payments.dispute(paymentId);
    for (const [kind, id] of [
      ['checkout', checkoutId],
      ['payment', paymentId],
      ['refund', refund.id],
      ['dispute', dispute.id],
    ] as const) {
      valueOf(await processor.fetch({ kind, id }));
    }
    valueOf(await processor.findCheckout(newId(), customerId));
    valueOf(await processor.closeCheckout((await checkout()).checkoutId));
  }

  async function subscribe(): Promise<void> {
    const { checkoutId, customerId } = await checkout(planRef('api-15K-month'));
    simulator.sessions.pay(checkoutId);
    const { id, latest_invoice: bill } = simulator.world.all('subscription')[0];
    valueOf(await processor.fetch({ kind: 'subscription', id }));
    valueOf(await processor.fetch({ kind: 'bill', id: bill as string }));
    const plan = planRef('api-50K-month');
    const change = { subscriptionId: id, plan, quantity: 1, currency: 'USD' };
    const from = clock.now();
    valueOf(await processor.previewChange(change, from));
    valueOf(await processor.upgrade({ ...change, changeId: newId(), from }));
    const lower = { ...change, plan: planRef('api-5K-month') };
    valueOf(await processor.changeAtPeriodEnd(lower, newId()));
    const returnUrl = 'https://dashboard.example/billing';
    valueOf(await processor.paymentUpdateUrl(customerId, returnUrl));
    simulator.invoices.replaceCard(customerId, 'works');
    valueOf(await processor.paymentUpdateUrl(customerId, returnUrl, id));
    valueOf(await processor.resume(id, newId()));
    valueOf(await processor.cancel(id, 'period_end', newId()));
    valueOf(await processor.cancel(id, 'now', newId()));
  }

  it('Stripe’s published API accepts billing’s calls for payments, refunds, subscriptions and plan changes', async () => {
    await buyOnce();
    await subscribe();
    valueOf(await processor.listSince(new Date(clock.now().getTime() - DAY_MS)));
    const requests = simulator.stripe.requests.filter(isChecked);
    expect(requests.length).toBeGreaterThan(25);
    expect(await faultsAtStripe(program!, requests)).toEqual([]);
  });
});
