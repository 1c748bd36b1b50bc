import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, SystemClock } from '#libs/platform';
import type { ApiFaults } from './api-faults.js';
import { CallbackSender, type CallbackTarget, type DeliveryFaults } from './callback-sender.js';
import { PAYPAL_PATH, PaypalSimulator } from './paypal/paypal-simulator.js';
import { PaypalRefusal } from './paypal/paypal-refusal.js';
import { type PageAnswer, simulatorPage } from './simulator-page.js';
import { CheckoutPages } from './stripe/pages/checkout-pages.js';
import { CheckoutSessions } from './stripe/checkout-sessions.js';
import { CustomerPages } from './stripe/pages/customer-pages.js';
import { Invoices } from './stripe/invoices.js';
import { PaymentIntents } from './stripe/payment-intents.js';
import { Schedules } from './stripe/schedules.js';
import { StripeApi } from './stripe/stripe-api.js';
import { StripeRefusal } from './stripe/stripe-refusal.js';
import { StripeWorld } from './stripe/stripe-world.js';
import { Subscriptions } from './stripe/subscriptions.js';
import { VirtualClock } from './virtual-clock.js';

const BODY_MAX_BYTES = 1024 * 1024;
const TICK_MS = 1_000;

/** Payment processors on one HTTP server: their API, their hosted pages, their callbacks, their time. */
export class PaymentsSimulator {
  readonly clock: VirtualClock;
  readonly callbacks = new CallbackSender();
  readonly apiFaults: ApiFaults = { lostAnswers: 0, lostRequests: 0, refusedRefunds: 0 };
  readonly world: StripeWorld;
  readonly payments: PaymentIntents;
  readonly sessions: CheckoutSessions;
  readonly stripe: StripeApi;
  readonly invoices: Invoices;
  readonly subscriptions: Subscriptions;
  readonly customerPages: CustomerPages;
  readonly paypal: PaypalSimulator;
  private readonly checkoutPages: CheckoutPages;
  private readonly server = createServer((request, response) => void this.serve(request, response));
  private ticking: NodeJS.Timeout | undefined;
  private url = '';

  constructor(clock: Clock = new SystemClock()) {
    this.clock = new VirtualClock(clock);
    this.world = new StripeWorld(this.clock, this.callbacks);
    this.payments = new PaymentIntents(this.world, this.apiFaults);
    const pageUrl = () => this.url;
    this.paypal = new PaypalSimulator(this.clock, this.apiFaults, pageUrl);
    this.invoices = new Invoices(this.world, this.payments, pageUrl);
    this.subscriptions = new Subscriptions(this.world, this.invoices);
    this.sessions = new CheckoutSessions(this.world, this.payments, this.subscriptions, pageUrl);
    const schedules = new Schedules(this.world, this.subscriptions);
    this.checkoutPages = new CheckoutPages(this.world, this.sessions);
    this.customerPages = new CustomerPages(this.world, this.subscriptions, this.invoices);
    this.stripe = new StripeApi(this.world, { ...this, schedules, pageUrl });
  }

  /** @returns the base URL of API and pages. */
  async start(port = 0): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    this.url = `http://localhost:${(this.server.address() as AddressInfo).port}`;
    this.ticking = setInterval(() => this.clock.runDue(), TICK_MS).unref();
    return this.url;
  }

  sendCallbacksTo(target: CallbackTarget): void {
    this.callbacks.target = target;
  }

  async stop(): Promise<void> {
    clearInterval(this.ticking);
    await Promise.all([this.callbacks.stop(), this.paypal.callbacks.stop()]);
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request);
      const { pathname: path, search } = new URL(request.url ?? '/', 'http://simulator');
      const method = request.method ?? 'GET';
      if (path.startsWith(`${PAYPAL_PATH}/`)) {
        const ownPath = path.slice(PAYPAL_PATH.length);
        this.servePaypal(request, { method, path: ownPath, search, body }, response);
      } else if (/^\/v[12]\//.test(path))
        this.serveApi(request, { method, path, search, body }, response);
      else if (path.startsWith('/stripe/')) sendPage(response, this.pageOf(method, path));
      else if (path.startsWith('/control/')) this.serveControl(method, path, body, response);
      else response.writeHead(404).end();
    } catch (error) {
      const isRefusal = error instanceof StripeRefusal || error instanceof PaypalRefusal;
      const status = isRefusal ? error.status : 500;
      response.writeHead(status, { 'content-type': 'text/plain' }).end((error as Error).message);
    }
  }

  private serveApi(
    { headers }: IncomingMessage,
    { method, path, search, body }: Record<'method' | 'path' | 'search' | 'body', string>,
    response: ServerResponse,
  ): void {
    if (method !== 'GET' && this.apiFaults.lostRequests > 0) {
      this.apiFaults.lostRequests -= 1;
      response.destroy();
      return;
    }
    const idempotencyKey = headers['idempotency-key'];
    const answer = this.stripe.answer({
      method,
      path,
      query: search.slice(1),
      body,
      authorization: headers.authorization,
      idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : undefined,
    });
    if (this.losesAnswer(method)) response.destroy();
    else sendJson(response, answer.status, answer.body);
  }

  private servePaypal(
    { headers }: IncomingMessage,
    { method, path, search, body }: Record<'method' | 'path' | 'search' | 'body', string>,
    response: ServerResponse,
  ): void {
    if (!/^\/v[12]\//.test(path)) {
      sendPage(response, this.paypal.page(method, path));
      return;
    }
    const isMove = method !== 'GET' && path !== '/v1/oauth2/token';
    if (isMove && this.apiFaults.lostRequests > 0) {
      this.apiFaults.lostRequests -= 1;
      response.destroy();
      return;
    }
    const requestId = headers['paypal-request-id'];
    const answer = this.paypal.api.answer({
      method,
      path,
      query: search.slice(1),
      body,
      authorization: headers.authorization,
      requestId: typeof requestId === 'string' ? requestId : undefined,
    });
    if (isMove && this.losesAnswer(method)) response.destroy();
    else if ('text' in answer) response.writeHead(answer.status).end(answer.text);
    else if (answer.body) sendJson(response, answer.status, answer.body);
    else response.writeHead(answer.status).end();
  }

  private losesAnswer(method: string): boolean {
    if (method === 'GET' || this.apiFaults.lostAnswers <= 0) return false;
    this.apiFaults.lostAnswers -= 1;
    return true;
  }

  private pageOf(method: string, path: string): PageAnswer {
    const [page, id, action] = path.split('/').slice(2);
    const pressed = method === 'POST' ? action : undefined;
    const { checkoutPages, customerPages } = this;
    switch (page) {
      case 'checkout':
        return pressed === undefined ? checkoutPages.show(id) : checkoutPages.press(id, pressed);
      case 'portal':
        return pressed === undefined
          ? customerPages.showPortal(id)
          : customerPages.pressPortal(id, pressed);
      default:
        return pressed === undefined
          ? customerPages.showInvoice(id)
          : customerPages.pressInvoice(id);
    }
  }

  /** For people and scripts that steer the simulator from outside of its process. */
  private serveControl(method: string, path: string, body: string, response: ServerResponse): void {
    const given = (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>;
    if (method === 'POST' && path === '/control/clock') this.clock.advance(Number(given.advanceMs));
    if (method === 'POST' && path === '/control/faults') {
      const { lostAnswers, refusedRefunds, ...faults } = given as Partial<
        DeliveryFaults & ApiFaults
      >;
      for (const { faults: current } of [this.callbacks, this.paypal.callbacks]) {
        Object.assign(current, faults);
      }
      this.apiFaults.lostAnswers = Number(lostAnswers ?? this.apiFaults.lostAnswers);
      this.apiFaults.refusedRefunds = Number(refusedRefunds ?? this.apiFaults.refusedRefunds);
    }
    const { faults, deliveries: ofStripe } = this.callbacks;
    const deliveries = [...ofStripe, ...this.paypal.callbacks.deliveries].slice(-50);
    sendJson(response, 200, { now: this.clock.now(), faults, deliveries });
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendPage(response: ServerResponse, answer: PageAnswer): void {
  if ('redirectTo' in answer) response.writeHead(303, { location: answer.redirectTo }).end();
  else {
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
    response.writeHead(200, headers).end(simulatorPage(answer.page));
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
