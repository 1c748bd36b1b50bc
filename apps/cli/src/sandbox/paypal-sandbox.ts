import { type Clock, newId } from '#libs/platform';
import type { PaymentProcessor } from '../declared.js';
import { askSandbox } from './sandbox-http.js';
import { type Patience, type SandboxStep, until } from './sandbox-run.js';
import { TrialPurchases, dollars, missingTypes, valueOf } from './trial-purchase.js';

/** docs/operations/production.md has the same list. */
const EVENT_TYPES = [
  'CHECKOUT.ORDER.APPROVED',
  'PAYMENT.CAPTURE.COMPLETED',
  'PAYMENT.CAPTURE.DENIED',
  'PAYMENT.CAPTURE.REFUNDED',
  'PAYMENT.CAPTURE.REVERSED',
  'PAYMENT.SALE.COMPLETED',
  'PAYMENT.SALE.REFUNDED',
  'PAYMENT.SALE.REVERSED',
  'BILLING.SUBSCRIPTION.*',
  'CUSTOMER.DISPUTE.*',
];
const PAY =
  'and agree as a personal account of your sandbox (developer.paypal.com, Sandbox accounts).';
const CALLBACK_PATH = '/callbacks/paypal';

export interface PaypalTrial {
  clientId: string;
  clientSecret: string;
  apiUrl: string;
  dashboardUrl: string;
  processor: PaymentProcessor;
  clock: Clock;
  patience: Patience;
}

interface Webhook {
  url?: string;
  event_types: { name: string }[];
}

/** What is tried at PayPal, and the step that clears away what it left. */
export function paypalSteps(trial: PaypalTrial): [steps: SandboxStep[], cleanUp: SandboxStep] {
  const { clientId, clientSecret, apiUrl, dashboardUrl, processor, clock, patience } = trial;
  const purchases = new TrialPurchases(processor, clock, patience, PAY);
  let payment: { id: string; amountMicros: bigint };
  let subscriptionId: string | undefined;
  const steps: SandboxStep[] = [
    {
      title: 'Checkout of a package',
      does: 'Creates an order of 10.00 USD as billing does (POST /v2/checkout/orders), prints its page, waits until you have agreed there, and captures the money.',
      async run() {
        payment = await purchases.buyPackage();
        return `paid: ${dollars(payment.amountMicros)}, ${payment.id}`;
      },
    },
    {
      title: 'Refund',
      does: 'Refunds that payment in full (POST /v2/payments/captures/{id}/refund) and waits until it has succeeded.',
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
      does: 'Creates the smallest monthly plan and a subscription to it (POST /v1/billing/plans, POST /v1/billing/subscriptions), prints its page and waits until you have agreed. PayPal has no test clock: its renewal comes a month later and is not seen here.',
      async run() {
        subscriptionId = await purchases.takePlan(undefined);
        const { sku, periodEnd } = await purchases.subscription(subscriptionId);
        return `${sku} until ${periodEnd.toISOString()}, ${subscriptionId}; its renewal cannot be brought forward`;
      },
    },
    {
      title: 'Webhook',
      does: `Lists the app’s webhooks (GET /v1/notifications/webhooks) and looks for ${dashboardUrl}${CALLBACK_PATH} with every event type that billing reads.`,
      async run() {
        const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
        const { access_token: token } = await askSandbox({
          method: 'POST',
          url: `${apiUrl}/v1/oauth2/token`,
          headers: { authorization: `Basic ${credentials}` },
          form: { grant_type: 'client_credentials' },
        });
        const { webhooks } = await askSandbox({
          url: `${apiUrl}/v1/notifications/webhooks`,
          headers: { authorization: `Bearer ${token}` },
        });
        return webhookSeen(webhooks, `${dashboardUrl}${CALLBACK_PATH}`);
      },
    },
  ];
  const cleanUp: SandboxStep = {
    title: 'Clearing away',
    does: 'Ends the subscription (POST /v1/billing/subscriptions/{id}/cancel).',
    async run() {
      if (!subscriptionId) return 'nothing to clear away';
      const { state } = valueOf(await processor.cancel(subscriptionId, 'now', newId()));
      return `the subscription is ${state}`;
    },
  };
  return [steps, cleanUp];
}

/** @throws Error unless a webhook leads here and takes every type. */
function webhookSeen(webhooks: Webhook[], url: string): string {
  const own = webhooks.filter((webhook) => webhook.url === url);
  if (own.length === 0) {
    const others = webhooks.map((webhook) => webhook.url).join(', ');
    throw new Error(`no webhook leads to ${url} (there are: ${others || 'none'})`);
  }
  const types = own.flatMap(({ event_types: named }) => named.map(({ name }) => name));
  const missing = missingTypes(EVENT_TYPES, types);
  if (missing.length > 0) throw new Error(`${url} is not told of ${missing.join(', ')}`);
  return `${url} is told of every type that billing reads`;
}
