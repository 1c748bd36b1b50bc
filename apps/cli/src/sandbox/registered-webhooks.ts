import { askSandbox } from './sandbox-http.js';

/** The API version that billing's SDK sends. Each call to API v2 needs a version. */
export const API_VERSION = '2026-10-28.endive';
/** The event types that billing reads. They are also listed in docs/operations/production.md. */
const STRIPE_TYPES = [
  'v1.checkout.session.*',
  'v1.payment_intent.succeeded',
  'v1.customer.subscription.*',
  'v1.invoice.paid',
  'v1.invoice.voided',
  'v1.invoice.marked_uncollectible',
  'v1.refund.*',
  'v1.charge.dispute.*',
];
const PAYPAL_TYPES = [
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

interface Registered {
  url?: string;
  types: string[];
  isEnabled: boolean;
}

/**
 * Checks Stripe's event destinations. @returns a sentence for the operator.
 * @throws Error unless the enabled destinations that point to this installation together receive every type that
 * billing reads; the errors of `askSandbox`.
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
  return `${url} receives every type that billing reads`;
}

/**
 * Lists the wanted event types that no registered type covers. A registered `*` covers all types. A wanted type that
 * ends in an asterisk is covered by any registered type with the same beginning.
 */
export function missingTypes(wanted: readonly string[], registered: readonly string[]): string[] {
  const covers = (type: string) => (one: string) => {
    if (one === '*' || one === type) return true;
    return type.endsWith('*') && one.startsWith(type.slice(0, -1));
  };
  return wanted.filter((type) => !registered.some(covers(type)));
}
