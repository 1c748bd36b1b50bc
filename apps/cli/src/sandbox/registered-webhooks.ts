import { askSandbox } from './sandbox-http.js';

/** The API version that billing's SDK sends. Each call to API v2 needs a version. */
export const API_VERSION = '2026-10-28.endive';
/** The event types that billing needs. docs/operations/production.md lists all types that it reads. */
export const STRIPE_TYPES = [
  'v1.checkout.session.async_payment_failed',
  'v1.checkout.session.async_payment_succeeded',
  'v1.checkout.session.completed',
  'v1.checkout.session.expired',
  'v1.payment_intent.succeeded',
  'v1.customer.subscription.created',
  'v1.customer.subscription.deleted',
  'v1.customer.subscription.updated',
  'v1.invoice.paid',
  'v1.invoice.voided',
  'v1.invoice.marked_uncollectible',
  'v1.refund.created',
  'v1.refund.failed',
  'v1.refund.updated',
  'v1.charge.dispute.closed',
  'v1.charge.dispute.created',
  'v1.charge.dispute.updated',
];
const PAYPAL_TYPES = [
  'CHECKOUT.ORDER.APPROVED',
  'PAYMENT.CAPTURE.COMPLETED',
  'PAYMENT.CAPTURE.DENIED',
  'PAYMENT.CAPTURE.REFUNDED',
  'PAYMENT.CAPTURE.REVERSED',
  'PAYMENT.REFUND.FAILED',
  'PAYMENT.SALE.COMPLETED',
  'PAYMENT.SALE.REFUNDED',
  'PAYMENT.SALE.REVERSED',
  'BILLING.SUBSCRIPTION.ACTIVATED',
  'BILLING.SUBSCRIPTION.CANCELLED',
  'BILLING.SUBSCRIPTION.EXPIRED',
  'BILLING.SUBSCRIPTION.PAYMENT.FAILED',
  'BILLING.SUBSCRIPTION.SUSPENDED',
  'BILLING.SUBSCRIPTION.UPDATED',
  'CUSTOMER.DISPUTE.CREATED',
  'CUSTOMER.DISPUTE.RESOLVED',
  'CUSTOMER.DISPUTE.UPDATED',
];

interface Registered {
  url?: string;
  types: string[];
  isEnabled: boolean;
}

/**
 * Checks Stripe's event destinations. @returns a sentence for the operator.
 * @throws Error unless the enabled destinations that point to this installation together receive every type that
 * billing needs; the errors of `askSandbox`.
 */
export async function stripeWebhook(asked: {
  apiUrl: string;
  apiKey: string;
  dashboardUrl: string;
}): Promise<string> {
  const { apiUrl, apiKey, dashboardUrl } = asked;
  const { data } = await askSandbox({
    url: `${apiUrl}/v2/core/event_destinations?include[0]=webhook_endpoint.url&limit=100`,
    headers: { authorization: `Bearer ${apiKey}`, 'stripe-version': API_VERSION },
  });
  const registered = (data as Record<string, unknown>[]).map((one) => ({
    url: (one.webhook_endpoint as { url?: string } | undefined)?.url,
    types: one.enabled_events as string[],
    isEnabled: one.status === 'enabled',
  }));
  return whatIsTold(registered, `${dashboardUrl}/callbacks/stripe`, STRIPE_TYPES);
}

/** Checks the webhooks of the app at PayPal, as `stripeWebhook` checks the event destinations at Stripe. */
export async function paypalWebhook(asked: {
  apiUrl: string;
  clientId: string;
  clientSecret: string;
  dashboardUrl: string;
}): Promise<string> {
  const { apiUrl, clientId, clientSecret, dashboardUrl } = asked;
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
  const registered = (webhooks as { url: string; event_types: { name: string }[] }[]).map(
    ({ url, event_types: types }) => ({
      url,
      types: types.map(({ name }) => name),
      isEnabled: true,
    }),
  );
  return whatIsTold(registered, `${dashboardUrl}/callbacks/paypal`, PAYPAL_TYPES);
}

function whatIsTold(registered: Registered[], url: string, wanted: readonly string[]): string {
  const own = registered.filter((one) => one.url === url);
  if (own.length === 0) {
    const others = registered.map((one) => one.url ?? 'elsewhere').join(', ');
    throw new Error(`No webhook points to ${url} (existing: ${others || 'none'}): register one.`);
  }
  const enabled = own.filter(({ isEnabled }) => isEnabled);
  if (enabled.length === 0) throw new Error(`The webhook ${url} is disabled: enable it.`);
  const types = enabled.flatMap((one) => one.types);
  const missing = missingTypes(wanted, types);
  if (missing.length > 0)
    throw new Error(`${url} does not receive ${missing.join(', ')}: add them.`);
  return `${url} receives every type that billing needs`;
}

/** Lists the wanted event types that are not registered. A registered `*` stands for all types. */
export function missingTypes(wanted: readonly string[], registered: readonly string[]): string[] {
  return registered.includes('*') ? [] : wanted.filter((type) => !registered.includes(type));
}
