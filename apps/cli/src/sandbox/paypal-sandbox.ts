import { type Clock, newId } from '#libs/platform';
import type { PaymentProcessor } from '../declared.js';
import { paypalWebhook } from './registered-webhooks.js';
import { type Patience, type SandboxStep } from './sandbox-run.js';
import { TrialPurchases, valueOf } from './trial-purchase.js';

const PAY =
  'and approve it with a personal account of your sandbox (developer.paypal.com, Sandbox accounts).';

export interface PaypalTrial {
  clientId: string;
  clientSecret: string;
  apiUrl: string;
  dashboardUrl: string;
  processor: PaymentProcessor;
  clock: Clock;
  patience: Patience;
}

export function paypalSteps(trial: PaypalTrial): [steps: SandboxStep[], cleanUp: SandboxStep] {
  const { clientId, clientSecret, apiUrl, dashboardUrl, processor, clock, patience } = trial;
  const purchases = new TrialPurchases(processor, clock, patience, PAY);
  let subscriptionId: string | undefined;
  const steps: SandboxStep[] = [
    ...purchases.packageSteps(
      'Creates an order of 10.00 USD as billing does (POST /v2/checkout/orders), prints the address of its page, waits until you have agreed there, and captures the money.',
      'Refunds that payment in full (POST /v2/payments/captures/{id}/refund) and waits until it has succeeded.',
    ),
    {
      title: 'Checkout of a plan',
      does: 'Creates the smallest monthly plan and a subscription to it (POST /v1/billing/plans, POST /v1/billing/subscriptions), prints the address of its page and waits until you have agreed. PayPal has no test clock: its renewal comes a month later and cannot be tested here.',
      async run() {
        subscriptionId = await purchases.takePlan(undefined);
        const { sku, periodEnd } = await purchases.subscription(subscriptionId);
        return `${sku} until ${periodEnd.toISOString()}, ${subscriptionId}; its renewal cannot be brought forward`;
      },
    },
    {
      title: 'Webhook',
      does: `Lists the app’s webhooks (GET /v1/notifications/webhooks) and looks for ${dashboardUrl}/callbacks/paypal with every event type that billing needs.`,
      run: () => paypalWebhook({ apiUrl, clientId, clientSecret, dashboardUrl }),
    },
  ];
  const cleanUp: SandboxStep = {
    title: 'Clean-up',
    does: 'Ends the subscription (POST /v1/billing/subscriptions/{id}/cancel).',
    async run() {
      if (!subscriptionId) return 'nothing to clean up';
      const { state } = valueOf(await processor.cancel(subscriptionId, 'now', newId()));
      return `the subscription is ${state}`;
    },
  };
  return [steps, cleanUp];
}
