import type { Form, FormValue } from './form-body.js';
import { StripeRefusal } from './stripe-refusal.js';

/**
 * The allowed and required parameters of a request. `a.b` means `a[b]` and `a[0][b]`; `metadata` means all of its
 * members.
 */
interface Parameters {
  known: readonly string[];
  required?: readonly string[];
}

const PAGE = [
  'limit',
  'starting_after',
  'ending_before',
  'created',
  ...['gt', 'gte', 'lt', 'lte'].map((bound) => `created.${bound}`),
];
const ITEM = ['items.id', 'items.price', 'items.quantity'];
const within = (holder: string, names: readonly string[]) =>
  names.map((name) => `${holder}.${name}`);

const PRICE_DATA = ['currency', 'unit_amount', 'product_data.name'];
const CHECKOUT = [
  'mode',
  'adaptive_pricing.enabled',
  // Stripe rejects this parameter with a specific error.
  'payment_method_types',
  'excluded_payment_method_types',
  'customer',
  'client_reference_id',
  'payment_intent_data.metadata',
  'subscription_data.metadata',
  'subscription_data.billing_mode.type',
  'metadata',
  'expires_at',
  'success_url',
  'cancel_url',
  ...within('line_items', ['price', 'quantity', ...within('price_data', PRICE_DATA)]),
];
const PHASE = [
  'items.price',
  'items.quantity',
  'start_date',
  'end_date',
  'proration_behavior',
  'billing_cycle_anchor',
  'default_payment_method',
  'discounts.discount',
];
const DURATION = ['duration.interval', 'duration.interval_count'];
const PREVIEWED = [...ITEM, 'proration_behavior', 'proration_date'];

/** The parameters of each request, by method and path; `*` stands for an id. `expand` is allowed everywhere. */
const OF_REQUESTS: Readonly<Record<string, Parameters>> = {
  'POST /v1/customers': { known: ['metadata', 'test_clock'] },
  'POST /v1/customers/*': { known: ['invoice_settings.default_payment_method'] },
  'GET /v2/core/event_destinations': { known: ['include', 'limit'] },
  'POST /v1/test_helpers/test_clocks': {
    known: ['frozen_time', 'name'],
    required: ['frozen_time'],
  },
  'POST /v1/test_helpers/test_clocks/*/advance': {
    known: ['frozen_time'],
    required: ['frozen_time'],
  },
  'GET /v1/customers': { known: PAGE },
  'POST /v1/prices': {
    known: [...PRICE_DATA, 'recurring.interval', 'lookup_key', 'metadata'],
    required: ['currency'],
  },
  'GET /v1/prices': { known: ['lookup_keys', ...PAGE] },
  'POST /v1/checkout/sessions': { known: CHECKOUT, required: ['mode', 'line_items'] },
  'GET /v1/checkout/sessions': { known: ['customer', ...PAGE] },
  'GET /v1/payment_intents': { known: PAGE },
  'POST /v1/refunds': {
    known: ['payment_intent', 'amount', 'metadata'],
    required: ['payment_intent'],
  },
  'GET /v1/refunds': { known: ['payment_intent', ...PAGE] },
  'GET /v1/disputes': { known: PAGE },
  'GET /v1/invoices': { known: ['status', ...PAGE] },
  'POST /v1/invoices/create_preview': {
    known: ['subscription', ...within('subscription_details', PREVIEWED)],
    required: ['subscription'],
  },
  'GET /v1/subscriptions': { known: ['customer', ...PAGE], required: ['customer'] },
  'POST /v1/subscriptions/*': {
    known: [
      ...PREVIEWED,
      'cancel_at_period_end',
      'cancel_at',
      'payment_behavior',
      'payment_settings.save_default_payment_method',
      'default_payment_method',
      'discounts',
      'discounts.coupon',
    ],
  },
  'POST /v1/subscription_schedules': {
    known: ['from_subscription'],
    required: ['from_subscription'],
  },
  'POST /v1/subscription_schedules/*': {
    known: ['end_behavior', 'proration_behavior', ...within('phases', [...PHASE, ...DURATION])],
  },
  'POST /v1/billing_portal/sessions': {
    known: ['customer', 'return_url', 'flow_data.type'],
    required: ['customer'],
  },
  'GET /v2/core/events': {
    known: ['limit', 'page', 'types', 'created.gte', 'created.lt'],
  },
};

const NONE: Parameters = { known: [] };

/**
 * Checks that a request has all required parameters and no unknown ones.
 * @throws StripeRefusal `parameter_missing` or `parameter_unknown`, with the parameter's name.
 */
export function checkParameters(method: string, path: string, form: Form): void {
  const ofId = path.replace(/\/\w+_\w+(?=\/|$)/g, (part) => (KINDS.has(part) ? part : '/*'));
  const { known, required = [] } = OF_REQUESTS[`${method} ${ofId}`] ?? NONE;
  for (const name of required) {
    if (form[name] !== undefined && form[name] !== '') continue;
    throw StripeRefusal.invalid('parameter_missing', `Missing required param: ${name}.`, name);
  }
  for (const [name, value] of Object.entries(form)) {
    checkKnown({ name, plain: name }, value, known);
  }
}

/** Path segments that look like ids but are not. */
const KINDS = new Set([
  '/payment_intents',
  '/subscription_schedules',
  '/billing_portal',
  '/create_preview',
  '/event_destinations',
  '/test_helpers',
  '/test_clocks',
]);

/**
 * Checks that a parameter and its members are known. @param at the parameter's name: as written, and without indexes.
 */
function checkKnown(
  at: { name: string; plain: string },
  value: FormValue,
  known: readonly string[],
): void {
  if (known.includes(at.plain) && (typeof value !== 'object' || isFree(at.plain))) return;
  if (typeof value !== 'object') {
    const message = `Received unknown parameter: ${at.name}`;
    throw StripeRefusal.invalid('parameter_unknown', message, at.name);
  }
  for (const [name, member] of Object.entries(value)) {
    const plain = Array.isArray(value) ? at.plain : `${at.plain}.${name}`;
    checkKnown({ name: `${at.name}[${name}]`, plain }, member, known);
  }
}

const isFree = (plain: string) => /(^|\.)metadata$/.test(plain);
