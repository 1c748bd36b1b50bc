import type { Stripe } from 'stripe';
import type { CheckoutSessions } from './checkout-sessions.js';
import type { CustomerPages } from './pages/customer-pages.js';
import { keepLatest } from '../kept.js';
import { type Form, parseForm } from './requests/form-body.js';
import { IdempotencyKeys, type StripeAnswer } from './idempotency-keys.js';
import type { PaymentIntents } from './payment-intents.js';
import type { Schedules } from './schedules.js';
import { listed } from './listing.js';
import { checkParameters } from './requests/parameters.js';
import type { Customer, Price } from './stripe-objects.js';
import { StripeRefusal } from './requests/stripe-refusal.js';
import type { StripeWorld } from './stripe-world.js';
import type { Subscriptions } from './subscriptions.js';
import { TestClocks } from './test-clocks.js';

export interface StripeRequest {
  method: string;
  path: string;
  query: string;
  body: string;
  authorization?: string;
  idempotencyKey?: string;
}

export interface StripeParts {
  sessions: CheckoutSessions;
  payments: PaymentIntents;
  subscriptions: Subscriptions;
  schedules: Schedules;
  customerPages: CustomerPages;
  pageUrl: () => string;
}

type Handler = (id: string, params: Form) => object;

const KEY_PATTERN = /^Bearer (sk|rk)_test_\w+$/;
const EVENTS_PAGE = 20;

/** The part of Stripe's API that billing and `cli sandbox` use, with Stripe's names and formats (2026-10-28.endive). */
export class StripeApi {
  calls = 0;
  /** The latest requests as received, oldest first, for checks against Stripe's published API. */
  readonly requests: StripeRequest[] = [];
  readonly endedKeys = new Set<string>();
  private readonly idempotency: IdempotencyKeys;
  private readonly routes: readonly [method: string, path: RegExp, handler: Handler][];

  constructor(
    private readonly world: StripeWorld,
    { sessions, payments, subscriptions, schedules, customerPages, pageUrl }: StripeParts,
  ) {
    this.idempotency = new IdempotencyKeys(world.clock);
    const params = <T>(form: Form) => form as unknown as T;
    this.routes = [
      ['POST', /^\/v1\/customers$/, (_, form) => this.createCustomer(form)],
      ['GET', /^\/v1\/customers\/(\w+)$/, (id) => world.get('customer', id)],
      ['POST', /^\/v1\/prices$/, (_, form) => this.createPrice(params(form))],
      ['GET', /^\/v1\/prices$/, (_, form) => this.listPrices(form)],
      ['GET', /^\/v1\/prices\/(\w+)$/, (id) => world.get('price', id)],
      ['POST', /^\/v1\/checkout\/sessions$/, (_, form) => sessions.create(params(form))],
      ['GET', /^\/v1\/checkout\/sessions$/, (_, form) => this.listSessions(form)],
      ['GET', /^\/v1\/checkout\/sessions\/(\w+)$/, (id) => world.get('checkout.session', id)],
      ['POST', /^\/v1\/checkout\/sessions\/(\w+)\/expire$/, (id) => sessions.expire(id)],
      ['GET', /^\/v1\/payment_intents\/(\w+)$/, (id) => world.get('payment_intent', id)],
      ['POST', /^\/v1\/refunds$/, (_, form) => payments.refund(params(form))],
      ['GET', /^\/v1\/customers$/, (_, form) => this.listCustomers(form)],
      ['POST', /^\/v1\/customers\/(\w+)$/, (id, form) => this.updateCustomer(id, params(form))],
      ['GET', /^\/v1\/invoices$/, (_, form) => this.listInvoices(form)],
      ['GET', /^\/v1\/payment_intents$/, (_, form) => this.listPayments(form)],
      ['GET', /^\/v1\/disputes$/, (_, form) => listed('/v1/disputes', world.all('dispute'), form)],
      ['GET', /^\/v1\/refunds$/, (_, form) => this.listRefunds(form)],
      ['GET', /^\/v1\/refunds\/(\w+)$/, (id) => world.get('refund', id)],
      ['GET', /^\/v1\/disputes\/(\w+)$/, (id) => world.get('dispute', id)],
      ['GET', /^\/v1\/subscriptions$/, (_, form) => subscriptions.list(form)],
      ['GET', /^\/v1\/subscriptions\/(\w+)$/, (id) => world.get('subscription', id)],
      [
        'POST',
        /^\/v1\/subscriptions\/(\w+)$/,
        (id, form) => subscriptions.update(id, params(form)),
      ],
      ['DELETE', /^\/v1\/subscriptions\/(\w+)$/, (id) => subscriptions.cancel(id)],
      [
        'POST',
        /^\/v1\/invoices\/create_preview$/,
        (_, form) => subscriptions.preview(params(form)),
      ],
      ['GET', /^\/v1\/invoices\/(\w+)$/, (id) => world.get('invoice', id)],
      [
        'POST',
        /^\/v1\/invoices\/(\w+)\/pay$/,
        (id) => {
          customerPages.pay(id);
          return world.get('invoice', id);
        },
      ],
      ['POST', /^\/v1\/invoices\/(\w+)\/void$/, (id) => subscriptions.void(id)],
      ['POST', /^\/v1\/subscription_schedules$/, (_, form) => schedules.create(params(form))],
      [
        'POST',
        /^\/v1\/subscription_schedules\/(\w+)$/,
        (id, form) => schedules.update(id, params(form)),
      ],
      ['POST', /^\/v1\/subscription_schedules\/(\w+)\/release$/, (id) => schedules.release(id)],
      [
        'POST',
        /^\/v1\/billing_portal\/sessions$/,
        (_, { customer, return_url: returnUrl }) =>
          customerPages.createPortal(String(customer), String(returnUrl ?? '/'), pageUrl()),
      ],
      ...new TestClocks(world.clock).routes,
      ['GET', /^\/v2\/core\/event_destinations$/, () => this.listDestinations()],
      ['GET', /^\/v2\/core\/events$/, (_, form) => this.listEvents(form)],
    ];
  }

  answer(request: StripeRequest): StripeAnswer {
    this.calls += 1;
    keepLatest(this.requests, request);
    try {
      const { authorization = '' } = request;
      const isEnded = this.endedKeys.has(authorization.replace(/^Bearer /, ''));
      if (isEnded || !KEY_PATTERN.test(authorization)) {
        throw new StripeRefusal(401, 'invalid_request_error', 'api_key', 'Invalid API Key.');
      }
      const text = `${request.method} ${request.path} ${request.body}`;
      const key = request.method !== 'GET' ? request.idempotencyKey : undefined;
      return this.idempotency.answer(key, text, () => this.dispatch(request));
    } catch (error) {
      if (error instanceof StripeRefusal) return { status: error.status, body: error.toBody() };
      throw error;
    }
  }

  /** Returns those requests after the first `calls` that are still stored. */
  requestsAfter(calls: number): StripeRequest[] {
    const count = this.calls - calls;
    return count > 0 ? this.requests.slice(-count) : [];
  }

  private dispatch({ method, path, query, body }: StripeRequest): StripeAnswer {
    for (const [routeMethod, pattern, handler] of this.routes) {
      const found = routeMethod === method ? pattern.exec(path) : null;
      if (!found) continue;
      const { expand, ...form } = parseForm(method === 'GET' || body === '' ? query : body);
      checkParameters(method, path, form);
      const result = handler(found[1] ?? '', form);
      return { status: 200, body: this.world.expanded(result, (expand ?? []) as string[]) };
    }
    const message = `Unrecognized request URL (${method}: ${path}).`;
    throw new StripeRefusal(404, 'invalid_request_error', 'url_invalid', message);
  }

  private createCustomer({ metadata }: Form): Customer {
    return this.world.put({
      id: this.world.newId('customer'),
      object: 'customer',
      balance: 0,
      created: this.world.now,
      invoice_settings: { default_payment_method: null },
      livemode: false,
      metadata: (metadata as Stripe.Metadata | undefined) ?? {},
    } satisfies Customer);
  }

  private updateCustomer(id: string, { invoice_settings: to }: Stripe.CustomerUpdateParams) {
    const customer = this.world.get('customer', id);
    customer.invoice_settings.default_payment_method = to?.default_payment_method ?? null;
    return customer;
  }

  private listPayments(form: Form): object {
    return listed('/v1/payment_intents', this.world.all('payment_intent'), form);
  }

  private listCustomers(form: Form): object {
    return listed('/v1/customers', this.world.all('customer'), form);
  }

  private createPrice(params: Stripe.PriceCreateParams): Price {
    const lookupKey = params.lookup_key ?? null;
    const isTaken = this.world.all('price').some(({ lookup_key }) => lookup_key === lookupKey);
    if (lookupKey !== null && isTaken) {
      const message = `A price already uses that lookup key: ${lookupKey}`;
      throw StripeRefusal.invalid('resource_already_exists', message);
    }
    const { recurring } = params;
    return this.world.put({
      id: this.world.newId('price'),
      object: 'price',
      created: this.world.now,
      currency: params.currency,
      livemode: false,
      lookup_key: lookupKey,
      metadata: (params.metadata as Stripe.Metadata | undefined) ?? {},
      product: this.world.newId('prod'),
      recurring: recurring ? { interval: recurring.interval, interval_count: 1 } : null,
      unit_amount: params.unit_amount ?? null,
    } satisfies Price);
  }

  private listPrices({ lookup_keys: keys, ...page }: Form): object {
    const wanted = keys && new Set(keys as string[]);
    const isWanted = ({ lookup_key: key }: Price) => !wanted || wanted.has(key ?? '');
    return listed('/v1/prices', this.world.all('price').filter(isWanted), page);
  }

  private listSessions({ customer, ...page }: Form): object {
    const all = this.world.all('checkout.session');
    const own = all.filter((session) => customer === undefined || session.customer === customer);
    return listed('/v1/checkout/sessions', own, page);
  }

  private listInvoices({ status, ...page }: Form): object {
    const all = this.world.all('invoice');
    const fitting = all.filter((invoice) => status === undefined || invoice.status === status);
    return listed('/v1/invoices', fitting, page);
  }

  private listRefunds({ payment_intent: id, ...page }: Form): object {
    const all = this.world.all('refund');
    const own = all.filter((refund) => id === undefined || refund.payment_intent === id);
    return listed('/v1/refunds', own, page);
  }

  private listDestinations(): object {
    const target = this.world.callbackTarget;
    const destination = {
      id: 'ed_test_simulator',
      object: 'v2.core.event_destination',
      type: 'webhook_endpoint',
      event_payload: 'thin',
      enabled_events: ['*'],
      status: 'enabled',
      webhook_endpoint: { url: target?.url },
    };
    return { data: target ? [destination] : [], next_page_url: null, previous_page_url: null };
  }

  /** Lists events, newest first, with the path and query of the next page, if there is one. */
  private listEvents({ created, limit, page, types }: Form): object {
    const { gte = '', lt = '~' } = (created ?? {}) as { gte?: string; lt?: string };
    const wanted = (types ?? []) as string[];
    const events = this.world.events.filter(
      (event) =>
        event.created >= gte &&
        event.created < lt &&
        (wanted.length === 0 || wanted.includes(event.type)),
    );
    const size = Number(limit ?? EVENTS_PAGE);
    const start = Number(page ?? 0);
    const data = events.reverse().slice(start, start + size);
    const next = new URLSearchParams({
      'created[gte]': gte,
      'created[lt]': lt,
      limit: String(size),
    });
    wanted.forEach((type, index) => next.set(`types[${index}]`, type));
    next.set('page', String(start + size));
    const hasMore = start + size < events.length;
    return {
      data,
      next_page_url: hasMore ? `/v2/core/events?${next}` : null,
      previous_page_url: null,
    };
  }
}
