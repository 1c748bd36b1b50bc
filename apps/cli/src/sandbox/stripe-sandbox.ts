import { type Clock, DAY_MS } from '#libs/platform';
import type { PaymentProcessor } from '../declared.js';
import { API_VERSION, stripeWebhook } from './registered-webhooks.js';
import { askSandbox } from './sandbox-http.js';
import { type Patience, type SandboxStep, until } from './sandbox-run.js';
import { TrialPurchases, valueOf } from './trial-purchase.js';

const PAY = 'and pay with the card 4242 4242 4242 4242, any later month and any three digits.';
/** How far the clock is advanced: more than a month plus the hour after which Stripe collects a renewal. */
const RENEWAL_MS = 32 * DAY_MS;

export interface StripeTrial {
  apiKey: string;
  apiUrl: string;
  dashboardUrl: string;
  processor: PaymentProcessor;
  clock: Clock;
  patience: Patience;
}

export function stripeSteps(trial: StripeTrial): [steps: SandboxStep[], cleanUp: SandboxStep] {
  const { apiKey, apiUrl, dashboardUrl, processor, clock, patience } = trial;
  const purchases = new TrialPurchases(processor, clock, patience, PAY);
  const began = clock.now();
  const call = callsOf(apiUrl, apiKey);
  let testClock: { id: string; frozen_time: number } | undefined;
  let subscriptionId: string;
  const steps: SandboxStep[] = [
    ...purchases.packageSteps(
      `Creates a customer and a checkout of 10.00 USD as billing does (POST /v1/customers, POST /v1/checkout/sessions), prints the address of its page and waits until you have paid there with Stripe’s test card.`,
      'Refunds that payment in full (POST /v1/refunds) and waits until it has succeeded.',
    ),
    {
      title: 'Checkout of a plan',
      does: 'Creates a test clock and a customer on it (POST /v1/test_helpers/test_clocks, POST /v1/customers) and a checkout of the smallest monthly plan, prints the address of its page and waits until you have paid.',
      async run() {
        const now = String(Math.floor(clock.now().getTime() / 1_000));
        testClock = await call('POST', '/v1/test_helpers/test_clocks', { frozen_time: now });
        const customer = await call('POST', '/v1/customers', { test_clock: testClock!.id });
        subscriptionId = await purchases.takePlan(customer.id);
        const { sku, periodEnd } = await purchases.subscription(subscriptionId);
        return `${sku} until ${periodEnd.toISOString()}, ${subscriptionId}`;
      },
    },
    {
      title: 'Renewal with another plan, by test clock',
      does: 'Schedules the next plan (POST /v1/subscription_schedules), advances the test clock by 32 days (POST /v1/test_helpers/test_clocks/{id}/advance) and waits until that plan has begun and its bill is paid with the same card.',
      async run() {
        const next = await purchases.scheduleNextPlan(subscriptionId);
        const { id, frozen_time: time } = testClock!;
        const path = `/v1/test_helpers/test_clocks/${id}`;
        await call('POST', `${path}/advance`, { frozen_time: String(time + RENEWAL_MS / 1_000) });
        return until('the renewal', patience, async () => {
          const { status } = await call('GET', path);
          if (status !== 'ready') return undefined;
          const { sku, latestBill, periodEnd } = await purchases.subscription(subscriptionId);
          const isRenewed = sku === next && latestBill?.isPaid;
          return isRenewed ? `${sku} until ${periodEnd.toISOString()}, paid` : undefined;
        });
      },
    },
    {
      title: 'Events',
      does: 'Lists the events of all these steps (GET /v2/core/events), as billing would have received them.',
      async run() {
        const { events } = valueOf(await processor.listSince(began));
        const kinds = new Set(events.map(({ ref }) => ref?.kind ?? 'other'));
        for (const kind of ['checkout', 'refund', 'subscription', 'bill'] as const) {
          if (!kinds.has(kind)) throw new Error(`no event about a ${kind} was listed`);
        }
        return `${events.length} events, about: ${[...kinds].join(', ')}`;
      },
    },
    {
      title: 'Webhook',
      does: `Lists the event destinations (GET /v2/core/event_destinations) and looks for ${dashboardUrl}/callbacks/stripe with every event type that billing needs.`,
      run: () => stripeWebhook({ apiUrl, apiKey, dashboardUrl }),
    },
  ];
  const cleanUp: SandboxStep = {
    title: 'Clean-up',
    does: 'Deletes the test clock with its customer and plan (DELETE /v1/test_helpers/test_clocks/{id}).',
    async run() {
      if (!testClock) return 'nothing to clean up';
      await call('DELETE', `/v1/test_helpers/test_clocks/${testClock.id}`);
      return 'the test clock, its customer and its plan are deleted';
    },
  };
  return [steps, cleanUp];
}

function callsOf(apiUrl: string, apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}`, 'stripe-version': API_VERSION };
  return (method: 'GET' | 'POST' | 'DELETE', path: string, form?: Record<string, string>) =>
    askSandbox({ method, url: `${apiUrl}${path}`, headers, form });
}
