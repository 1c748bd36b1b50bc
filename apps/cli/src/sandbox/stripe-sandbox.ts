import { type Clock, DAY_MS, newId } from '#libs/platform';
import type { PaymentProcessor } from '../declared.js';
import { askSandbox } from './sandbox-http.js';
import { type Patience, type SandboxStep, until } from './sandbox-run.js';
import { TrialPurchases, dollars, missingTypes, valueOf } from './trial-purchase.js';

/** As billing's SDK sends it; API v2 wants one with each call. */
const API_VERSION = '2026-10-28.endive';
/** docs/operations/production.md has the same list. */
const EVENT_TYPES = [
  'v1.checkout.session.*',
  'v1.payment_intent.succeeded',
  'v1.customer.subscription.*',
  'v1.invoice.paid',
  'v1.invoice.voided',
  'v1.invoice.marked_uncollectible',
  'v1.refund.*',
  'v1.charge.dispute.*',
];
const PAY = 'and pay with the card 4242 4242 4242 4242, any later month and any three digits.';
const CALLBACK_PATH = '/callbacks/stripe';
/** One month, and the hour after which Stripe takes the money of a renewal. */
const RENEWAL_MS = 32 * DAY_MS;

export interface StripeTrial {
  apiKey: string;
  apiUrl: string;
  dashboardUrl: string;
  processor: PaymentProcessor;
  clock: Clock;
  patience: Patience;
}

interface EventDestination {
  enabled_events: string[];
  status: string;
  webhook_endpoint?: { url?: string };
}

/** What is tried at Stripe, and the step that clears away what it left. */
export function stripeSteps(trial: StripeTrial): [steps: SandboxStep[], cleanUp: SandboxStep] {
  const { apiKey, apiUrl, dashboardUrl, processor, clock, patience } = trial;
  const purchases = new TrialPurchases(processor, clock, patience, PAY);
  const began = clock.now();
  const headers = { authorization: `Bearer ${apiKey}`, 'stripe-version': API_VERSION };
  const call = (method: 'GET' | 'POST' | 'DELETE', path: string, form?: Record<string, string>) =>
    askSandbox({ method, url: `${apiUrl}${path}`, headers, form });
  let payment: { id: string; amountMicros: bigint };
  let testClock: { id: string; frozen_time: number } | undefined;
  let subscriptionId: string;
  const steps: SandboxStep[] = [
    {
      title: 'Checkout of a package',
      does: `Creates a customer and a checkout of 10.00 USD as billing does (POST /v1/customers, POST /v1/checkout/sessions), prints its page and waits until you have paid there with Stripe’s test card.`,
      async run() {
        payment = await purchases.buyPackage();
        return `paid: ${dollars(payment.amountMicros)}, ${payment.id}`;
      },
    },
    {
      title: 'Refund',
      does: 'Refunds that payment in full (POST /v1/refunds) and waits until it has succeeded.',
      async run() {
        const asked = { refundId: newId(), paymentId: payment.id };
        const { id } = valueOf(
          await processor.refund({ ...asked, amountMicros: payment.amountMicros }),
        );
        return until('the refund', patience, async () => {
          const found = valueOf(await processor.fetch({ kind: 'refund', id }));
          if (found.kind !== 'refund' || found.state === 'failed') throw new Error('it failed');
          if (found.state !== 'succeeded') return undefined;
          return `given back: ${dollars(found.amountMicros)}, ${id}`;
        });
      },
    },
    {
      title: 'Checkout of a plan',
      does: 'Makes a test clock and a customer on it (POST /v1/test_helpers/test_clocks, POST /v1/customers), a checkout of the smallest monthly plan, prints its page and waits until you have paid.',
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
      title: 'Renewal by test clock',
      does: 'Moves the test clock by 32 days (POST /v1/test_helpers/test_clocks/{id}/advance) and waits until the plan has a new period whose bill is paid.',
      async run() {
        const before = await purchases.subscription(subscriptionId);
        const { id, frozen_time: time } = testClock!;
        const path = `/v1/test_helpers/test_clocks/${id}`;
        await call('POST', `${path}/advance`, { frozen_time: String(time + RENEWAL_MS / 1_000) });
        return until('the renewal', patience, async () => {
          const { status } = await call('GET', path);
          if (status !== 'ready') return undefined;
          const now = await purchases.subscription(subscriptionId);
          const isRenewed = now.periodEnd > before.periodEnd && now.latestBill?.isPaid;
          return isRenewed ? `renewed until ${now.periodEnd.toISOString()}, paid` : undefined;
        });
      },
    },
    {
      title: 'Events',
      does: 'Lists what Stripe told of all this (GET /v2/core/events), which is what billing would have heard.',
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
      does: `Lists the event destinations (GET /v2/core/event_destinations) and looks for ${dashboardUrl}${CALLBACK_PATH} with every event type that billing reads.`,
      async run() {
        const query = '?include[0]=webhook_endpoint.url&limit=100';
        const { data } = await call('GET', `/v2/core/event_destinations${query}`);
        return destinationSeen(data, `${dashboardUrl}${CALLBACK_PATH}`);
      },
    },
  ];
  const cleanUp: SandboxStep = {
    title: 'Clearing away',
    does: 'Deletes the test clock with its customer and plan (DELETE /v1/test_helpers/test_clocks/{id}).',
    async run() {
      if (!testClock) return 'nothing to clear away';
      await call('DELETE', `/v1/test_helpers/test_clocks/${testClock.id}`);
      return 'the test clock is gone, and its customer and plan with it';
    },
  };
  return [steps, cleanUp];
}

/** @throws Error unless one enabled destination leads here and takes every type. */
function destinationSeen(destinations: EventDestination[], url: string): string {
  const own = destinations.filter(({ webhook_endpoint: at }) => at?.url === url);
  if (own.length === 0) {
    const others = destinations.map(({ webhook_endpoint: at }) => at?.url ?? 'elsewhere');
    throw new Error(`no destination leads to ${url} (there are: ${others.join(', ') || 'none'})`);
  }
  const enabled = own.filter(({ status }) => status === 'enabled');
  if (enabled.length === 0) throw new Error(`the destination ${url} is disabled`);
  const missing = missingTypes(
    EVENT_TYPES,
    enabled.flatMap(({ enabled_events: types }) => types),
  );
  if (missing.length > 0) throw new Error(`${url} is not told of ${missing.join(', ')}`);
  return `${url} is told of every type that billing reads`;
}
