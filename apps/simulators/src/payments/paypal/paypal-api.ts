import { randomBytes } from 'node:crypto';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#libs/platform';
import { putLatest } from '../kept.js';
import type { CallbackIdentity } from './callback-identity.js';
import type { AgreementPages } from './agreement-pages.js';
import type { Captures } from './captures.js';
import type { Orders } from './orders.js';
import { PaypalRefusal } from './paypal-refusal.js';
import type { PaypalWorld } from './paypal-world.js';
import type { Plans } from './plans.js';
import type { Subscriptions } from './subscriptions.js';

export interface PaypalRequest {
  method: string;
  path: string;
  query: string;
  body: string;
  authorization?: string;
  /** `PayPal-Request-Id`. */
  requestId?: string;
}

export interface PaypalParts {
  orders: Orders;
  captures: Captures;
  plans: Plans;
  subscriptions: Subscriptions;
  agreements: AgreementPages;
}

/** An answer of the API; `text` replaces `body` if the answer is not JSON. */
export type PaypalAnswer = { status: number } & ({ body?: object } | { text: string });

// oxlint-disable-next-line typescript/no-explicit-any -- each handler reads the body of its route
type Handler = (id: string, body: any, query: URLSearchParams) => object | void;

const SUBSCRIPTIONS = /^\/v1\/billing\/subscriptions$/;
const TOKEN_SECONDS = 32_400;
const REQUIRED: readonly [request: RegExp, names: readonly string[]][] = [
  [/^POST \/v2\/checkout\/orders$/, ['intent', 'purchase_units']],
  [/^POST \/v1\/catalogs\/products$/, ['name', 'type']],
  [/^POST \/v1\/billing\/plans$/, ['product_id', 'name', 'billing_cycles', 'payment_preferences']],
  [/^POST \/v1\/billing\/subscriptions$/, ['plan_id']],
  [/^POST \/v1\/billing\/subscriptions\/[\w-]+\/(suspend|cancel)$/, ['reason']],
];
/** How long repeats of a key get the first answer, by the beginning of the path. */
const RETENTIONS_MS: readonly [path: string, ms: number][] = [
  ['/v2/checkout/', 6 * HOUR_MS],
  ['/v2/payments/', 45 * DAY_MS],
  ['/', 3 * DAY_MS],
];

export class PaypalApi {
  calls = 0;
  private readonly tokens = new Map<string, Date>();
  private readonly endedSecrets = new Set<string>();
  private readonly kept = new Map<string, { answer: PaypalAnswer; keptAtMs: number }>();
  private readonly routes: readonly [method: string, path: RegExp, handler: Handler][];

  constructor(
    private readonly world: PaypalWorld,
    private readonly identity: CallbackIdentity,
    { orders, captures, plans, subscriptions, agreements }: PaypalParts,
  ) {
    this.routes = [
      ['POST', /^\/v2\/checkout\/orders$/, (_, body) => orders.create(body)],
      ['GET', /^\/v2\/checkout\/orders\/([\w-]+)$/, (id) => orders.get(id)],
      ['PATCH', /^\/v2\/checkout\/orders\/([\w-]+)$/, (id, body) => orders.patch(id, body)],
      ['POST', /^\/v2\/checkout\/orders\/([\w-]+)\/capture$/, (id) => orders.capture(id)],
      ['GET', /^\/v2\/payments\/captures\/([\w-]+)$/, (id) => world.get('capture', id)],
      [
        'POST',
        /^\/v2\/payments\/captures\/([\w-]+)\/refund$/,
        (id, body) => captures.refund(id, body),
      ],
      ['GET', /^\/v2\/payments\/refunds\/([\w-]+)$/, (id) => world.get('refund', id)],
      ['GET', /^\/v1\/customer\/disputes$/, (_, __, query) => captures.listDisputes(query)],
      ['GET', /^\/v1\/customer\/disputes\/([\w-]+)$/, (id) => world.get('dispute', id)],
      ['POST', /^\/v1\/catalogs\/products$/, (_, body) => plans.createProduct(body)],
      ['GET', /^\/v1\/catalogs\/products\/([\w-]+)$/, (id) => world.get('product', id)],
      ['POST', /^\/v1\/billing\/plans$/, (_, body) => plans.create(body)],
      ['GET', /^\/v1\/billing\/plans$/, (_, __, query) => plans.list(query)],
      ['GET', /^\/v1\/billing\/plans\/([\w-]+)$/, (id) => world.get('plan', id)],
      ['PATCH', /^\/v1\/billing\/plans\/([\w-]+)$/, (id, body) => plans.patch(id, body)],
      ['POST', SUBSCRIPTIONS, (_, body) => subscriptions.create(body)],
      ['GET', subscriptionPath(''), (id, _, query) => subscriptions.get(id, query)],
      ['PATCH', subscriptionPath(''), (id, body) => subscriptions.patch(id, body)],
      ['POST', subscriptionPath('/revise'), (id, body) => agreements.revise(id, body)],
      ['POST', subscriptionPath('/suspend'), (id) => subscriptions.suspend(id)],
      ['POST', subscriptionPath('/activate'), (id) => subscriptions.activate(id)],
      ['POST', subscriptionPath('/cancel'), (id) => subscriptions.cancel(id)],
      [
        'GET',
        subscriptionPath('/transactions'),
        (id, _, query) => subscriptions.transactions(id, ...stretchOf(query)),
      ],
      ['GET', /^\/v1\/payments\/sale\/([\w-]+)$/, (id) => subscriptions.sale(id)],
      [
        'GET',
        /^\/v1\/reporting\/transactions$/,
        (_, __, query) => captures.report(query, (id) => subscriptions.isSale(id)),
      ],
      ['GET', /^\/v1\/notifications\/webhooks$/, () => this.listWebhooks()],
      ['GET', /^\/v1\/notifications\/webhooks-events$/, (_, __, query) => this.listEvents(query)],
    ];
  }

  private listWebhooks(): object {
    const target = this.world.callbackTarget;
    const webhook = { id: target?.secret, url: target?.url, event_types: [{ name: '*' }] };
    return { webhooks: target ? [webhook] : [] };
  }

  answer(request: PaypalRequest): PaypalAnswer {
    const { method, path } = request;
    this.calls += 1;
    if (path === this.identity.certificatePath()) {
      return { status: 200, text: this.identity.certificatePem };
    }
    if (method === 'POST' && path === '/v1/oauth2/token') return this.issueToken(request);
    return answerOf(() => {
      this.checkToken(request);
      return this.once(request, () => this.dispatch(request));
    });
  }

  /** Revokes a client's secret: it gets no more tokens, and the tokens of all clients become invalid. */
  endSecret(secret: string): void {
    this.endedSecrets.add(secret);
    this.tokens.clear();
  }

  /**
   * Issues a token to the simulator itself, for requests replayed after a restart.
   * @returns the `Authorization` header.
   */
  ownAuthorization(): string {
    const token = randomBytes(24).toString('base64url');
    const until = new Date(this.world.clock.now().getTime() + TOKEN_SECONDS * SECOND_MS);
    putLatest(this.tokens, token, until);
    return `Bearer ${token}`;
  }

  /**
   * Carries out a request once: for some time, a repetition with the same key gets the first answer, even if that was a
   * refusal.
   */
  private once({ path, requestId }: PaypalRequest, work: () => PaypalAnswer): PaypalAnswer {
    if (requestId === undefined) return work();
    const nowMs = this.world.clock.now().getTime();
    const [, retentionMs = 0] = RETENTIONS_MS.find(([start]) => path.startsWith(start)) ?? [];
    const first = this.kept.get(requestId);
    if (first && nowMs - first.keptAtMs < retentionMs) {
      return { ...first.answer, status: first.answer.status < 300 ? 200 : first.answer.status };
    }
    const answer = answerOf(work);
    putLatest(this.kept, requestId, { answer: structuredClone(answer), keptAtMs: nowMs });
    return answer;
  }

  private dispatch({ method, path, query, body }: PaypalRequest): PaypalAnswer {
    for (const [routeMethod, pattern, handler] of this.routes) {
      const found = routeMethod === method ? pattern.exec(path) : null;
      if (!found) continue;
      const given = (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>;
      checkComplete(method, path, given);
      const result = handler(found[1] ?? '', given, new URLSearchParams(query));
      if (!result) return { status: 204 };
      return { status: method === 'POST' ? 201 : 200, body: structuredClone(result) };
    }
    throw PaypalRefusal.missing();
  }

  private issueToken({ authorization = '' }: PaypalRequest): PaypalAnswer {
    const [, encoded = ''] = /^Basic ([\w+/=]+)$/.exec(authorization) ?? [];
    const [, secret] = /^[^:]+:(.+)$/.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
    if (secret === undefined || this.endedSecrets.has(secret)) {
      return { status: 401, body: { error: 'invalid_client' } };
    }
    const token = randomBytes(24).toString('base64url');
    const now = this.world.clock.now();
    putLatest(this.tokens, token, new Date(now.getTime() + TOKEN_SECONDS * SECOND_MS));
    const body = { access_token: token, token_type: 'Bearer', expires_in: TOKEN_SECONDS };
    return { status: 200, body };
  }

  private checkToken({ authorization = '' }: PaypalRequest): void {
    const until = this.tokens.get(authorization.replace(/^Bearer /, ''));
    if (until && this.world.clock.now() < until) return;
    const message = 'Authentication failed due to invalid authentication credentials.';
    throw new PaypalRefusal(401, 'AUTHENTICATION_FAILURE', undefined, message);
  }

  /** Lists events, newest first, with the full URL of the next page, if there is one. */
  private listEvents(query: URLSearchParams): object {
    const [from, to] = stretchOf(query);
    const size = Number(query.get('page_size') ?? 10);
    const start = Number(query.get('next_page_token') ?? 0);
    const found = this.world.events.filter(({ create_time: time }) => {
      const at = Date.parse(time);
      return at >= from && at <= to;
    });
    const events = found.reverse().slice(start, start + size);
    const next = new URLSearchParams(query);
    next.set('next_page_token', String(start + size));
    const path = `/v1/notifications/webhooks-events?${next}`;
    const hasMore = start + size < found.length;
    const links = hasMore ? [this.world.link('next', path)] : [];
    return { events, count: events.length, links };
  }
}

/** Does the work. @returns its answer, or the answer that refuses it. */
function answerOf(work: () => PaypalAnswer): PaypalAnswer {
  try {
    return work();
  } catch (error) {
    if (error instanceof PaypalRefusal) return { status: error.status, body: error.toBody() };
    throw error;
  }
}

const subscriptionPath = (step: string) =>
  new RegExp(`^/v1/billing/subscriptions/([\\w-]+)${step}$`);

/** Checks that a request has what PayPal requires. @throws PaypalRefusal if it does not. */
function checkComplete(method: string, path: string, given: Record<string, unknown>): void {
  const [, names = []] = REQUIRED.find(([request]) => request.test(`${method} ${path}`)) ?? [];
  const isMissing = (value: unknown) =>
    value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  if (names.some((name) => isMissing(given[name]))) throw PaypalRefusal.incomplete();
}

/** Returns the bounds of the requested interval in milliseconds; by default, the interval is unlimited. */
function stretchOf(query: URLSearchParams): [from: number, to: number] {
  const timeOf = (name: string, otherwise: number) =>
    query.has(name) ? Date.parse(query.get(name)!) : otherwise;
  return [timeOf('start_time', 0), timeOf('end_time', Number.POSITIVE_INFINITY)];
}
