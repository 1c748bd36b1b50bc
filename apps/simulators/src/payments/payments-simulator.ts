import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, SystemClock, isFromThisMachine } from '#libs/platform';
import type { ApiFaults } from './api-faults.js';
import { CallbackSender, type CallbackTarget } from './callback-sender.js';
import { Journal, type JournalEntry, KeptPort } from './journal.js';
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
import { StripeRefusal } from './stripe/requests/stripe-refusal.js';
import { StripeWorld } from './stripe/stripe-world.js';
import { Subscriptions } from './stripe/subscriptions.js';
import { VirtualClock } from './virtual-clock.js';

const BODY_MAX_BYTES = 1024 * 1024;
const TICK_MS = 1_000;
const CLOCK_PATH = '/control/clock';
/** The paths of the processors' APIs. All other paths are for people on this machine (S128). */
const API_PATH = new RegExp(`^(${PAYPAL_PATH})?/v[12]/`);

/** Simulates payment processors on one HTTP server: APIs, hosted pages, callbacks and a clock. */
export class PaymentsSimulator {
  readonly clock: VirtualClock;
  readonly callbacks = new CallbackSender();
  readonly apiFaults: ApiFaults = {
    lostAnswers: 0,
    lostRequests: 0,
    passedRequests: 0,
    refusedRefunds: 0,
  };
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
  private journal: Journal | undefined;

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

  /**
   * Starts the server. @param port 0 selects the port of the last start with this journal or, if there is none or it is
   * not free, any free port. @param journalPath the file that stores the requests, from which the state is restored; by
   * default, the state is lost at the end. The port is stored beside the file, because customers have links to the
   * pages.
   * @returns the base URL of API and pages.
   */
  async start(port = 0, journalPath?: string): Promise<string> {
    const keptPort = journalPath === undefined ? undefined : new KeptPort(journalPath);
    const own = port || keptPort?.read();
    await this.listen(own ?? 0).catch(async (error: unknown) => {
      if (own === port) throw error;
      await this.listen(0);
    });
    const { port: taken } = this.server.address() as AddressInfo;
    keptPort?.write(taken);
    this.url = `http://localhost:${taken}`;
    if (journalPath !== undefined) this.replay(new Journal(journalPath));
    this.ticking = setInterval(() => this.clock.runDue(), TICK_MS).unref();
    return this.url;
  }

  private async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
  }

  sendCallbacksTo(target: CallbackTarget): void {
    this.callbacks.target = target;
  }

  /** Presses a button on a page as a customer would, without a browser. @param pageUrl as returned by the API. */
  press(pageUrl: string, button: string): void {
    this.keptPage('POST', `${new URL(pageUrl).pathname}/${button}`);
  }

  async stop(): Promise<void> {
    clearInterval(this.ticking);
    await Promise.all([this.callbacks.stop(), this.paypal.callbacks.stop()]);
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Replays the requests made before a restart. No callbacks are sent, because their target is not set yet. */
  private replay(journal: Journal): void {
    this.world.nextId = this.paypal.world.nextId = () => journal.nextId();
    for (const entry of journal.entries) {
      this.clock.during(entry.atMs, () => this.doAgain(entry));
      this.clock.offsetMs = entry.offsetMs;
    }
    this.journal = journal;
  }

  /** Repeats a request. A request that failed the first time fails again, and has the same effect as it had then. */
  private doAgain(entry: JournalEntry): void {
    try {
      this.answerAgain(entry);
    } catch {
      // Its sender got the error.
    }
  }

  private answerAgain({ to, method, path, query, body, key }: JournalEntry): void {
    const request = { method, path, query, body };
    if (to === 'stripe') {
      const authorization = 'Bearer sk_test_simulator';
      this.stripe.answer({ ...request, authorization, idempotencyKey: key });
    } else if (to === 'paypal') {
      const authorization = this.paypal.api.ownAuthorization();
      this.paypal.api.answer({ ...request, authorization, requestId: key });
    } else if (to === 'page') {
      this.pageAt(method, path);
    }
  }

  /** Carries out an external request. A request that may have changed the state is recorded before it is answered. */
  private kept<T>(entry: Omit<JournalEntry, 'atMs' | 'offsetMs'>, work: () => T): T {
    const { journal, clock } = this;
    if (!journal || entry.method === 'GET') return work();
    const atMs = clock.now().getTime();
    let result: T | undefined;
    try {
      result = clock.during(atMs, work);
      return result;
    } finally {
      // A caller without a valid key changes nothing.
      const isForeign = (result as { status?: number } | undefined)?.status === 401;
      if (!isForeign) journal.add({ atMs, offsetMs: clock.offsetMs, ...entry });
    }
  }

  private keptPage(method: string, path: string): PageAnswer {
    const entry = { to: 'page' as const, method, path, query: '', body: '' };
    return this.kept(entry, () => this.pageAt(method, path));
  }

  private pageAt(method: string, path: string): PageAnswer {
    return path.startsWith(`${PAYPAL_PATH}/`)
      ? this.paypal.page(method, path.slice(PAYPAL_PATH.length))
      : this.pageOf(method, path);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { pathname: path, search } = new URL(request.url ?? '/', 'http://simulator');
      if (!API_PATH.test(path) && !isFromThisMachine(request)) {
        response.writeHead(404).end();
        return;
      }
      const body = await readBody(request);
      const method = request.method ?? 'GET';
      if (path.startsWith(`${PAYPAL_PATH}/`)) {
        const ownPath = path.slice(PAYPAL_PATH.length);
        this.servePaypal(request, { method, path: ownPath, search, body }, response);
      } else if (API_PATH.test(path))
        this.serveApi(request, { method, path, search, body }, response);
      else if (path.startsWith('/stripe/')) sendPage(response, this.keptPage(method, path));
      else if (path.startsWith('/control/')) this.serveControl(method, path, body, response);
      else response.writeHead(404).end();
    } catch (error) {
      const status = isRefusal(error) ? error.status : 500;
      response.writeHead(status, { 'content-type': 'text/plain' }).end((error as Error).message);
    }
  }

  private serveApi(
    { headers }: IncomingMessage,
    { method, path, search, body }: Record<'method' | 'path' | 'search' | 'body', string>,
    response: ServerResponse,
  ): void {
    if (method !== 'GET' && this.losesRequest()) {
      response.destroy();
      return;
    }
    const idempotencyKey = headers['idempotency-key'];
    const key = typeof idempotencyKey === 'string' ? idempotencyKey : undefined;
    const asked = { method, path, query: search.slice(1), body };
    const { authorization } = headers;
    const answer = this.kept({ to: 'stripe', ...asked, key }, () =>
      this.stripe.answer({ ...asked, authorization, idempotencyKey: key }),
    );
    if (this.losesAnswer(method)) response.destroy();
    else {
      if (answer.isReplayed) response.setHeader('idempotent-replayed', 'true');
      sendJson(response, answer.status, answer.body);
    }
  }

  private servePaypal(
    { headers }: IncomingMessage,
    { method, path, search, body }: Record<'method' | 'path' | 'search' | 'body', string>,
    response: ServerResponse,
  ): void {
    if (!/^\/v[12]\//.test(path)) {
      sendPage(response, this.keptPage(method, `${PAYPAL_PATH}${path}`));
      return;
    }
    const isMove = method !== 'GET' && path !== '/v1/oauth2/token';
    if (isMove && this.losesRequest()) {
      response.destroy();
      return;
    }
    const requestId = headers['paypal-request-id'];
    const key = typeof requestId === 'string' ? requestId : undefined;
    const asked = { method, path, query: search.slice(1), body };
    const { authorization } = headers;
    const work = () => this.paypal.api.answer({ ...asked, authorization, requestId: key });
    const answer = isMove ? this.kept({ to: 'paypal', ...asked, key }, work) : work();
    if (isMove && this.losesAnswer(method)) response.destroy();
    else if ('text' in answer) response.writeHead(answer.status).end(answer.text);
    else if (answer.body) sendJson(response, answer.status, answer.body);
    else response.writeHead(answer.status).end();
  }

  private losesRequest(): boolean {
    const { apiFaults } = this;
    if (apiFaults.lostRequests <= 0) return false;
    const isPassed = apiFaults.passedRequests > 0;
    apiFaults[isPassed ? 'passedRequests' : 'lostRequests'] -= 1;
    return !isPassed;
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

  /** Serves people and scripts that control the simulator from outside its process. */
  private serveControl(method: string, path: string, body: string, response: ServerResponse): void {
    if (method === 'POST' && path === CLOCK_PATH) {
      const { advanceMs } = JSON.parse(body) as { advanceMs: number };
      this.clock.advance(Number(advanceMs));
      this.kept({ to: 'control', method, path, query: '', body }, () => {});
    }
    const { deliveries } = this.callbacks;
    const latest = [...deliveries, ...this.paypal.callbacks.deliveries].slice(-50);
    sendJson(response, 200, { now: this.clock.now(), deliveries: latest });
  }
}

const isRefusal = (error: unknown): error is StripeRefusal | PaypalRefusal =>
  error instanceof StripeRefusal || error instanceof PaypalRefusal;

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
