import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Client } from 'undici';
import type { Method, Operation } from '#libs/contracts';
import { type Clock, Logger, ServiceTokens, SystemClock, loadConfig } from '#libs/platform';
import { DashboardConfig } from '../../apps/dashboard/src/dashboard.config.js';
import type { MailboxMessage } from '../../apps/dashboard/src/mailbox/mailbox.js';
import { type RunningDashboard, startDashboard } from '../../apps/dashboard/src/start.js';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';
import { LoopbackServer } from '../stand-ins/json-server.js';

export const OWN_ORIGIN = 'https://dashboard.example';
export const ACCOUNT_ID = '01980000-0000-7000-8000-000000000001';
const CSRF = 'c'.repeat(43);
const SESSION = 's'.repeat(43);
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const BALANCE = { spendable: 5_000, reserved: 0, recallable: 0, pending: 0, frozen: 0, debt: 0 };

const AWAY = new Set([
  'GET /internal/usage',
  'GET /internal/usage/overview',
  'GET /internal/overview',
  'GET /internal/allowance',
]);

export interface Arrived {
  line: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

interface Answer {
  status: number;
  type: string;
  headers?: Record<string, string>;
  body: Buffer;
}

export class DashboardUnderTest {
  readonly arrived: Arrived[] = [];
  readonly tokens = new ServiceTokens(HARNESS_SECRET, new SystemClock());
  readonly cookie = `__Host-csrf=${CSRF}; __Host-session=${SESSION}`;
  readonly ours = {
    origin: OWN_ORIGIN,
    'sec-fetch-site': 'same-origin',
    'x-csrf-token': CSRF,
    cookie: this.cookie,
  };
  session = { accountId: ACCOUNT_ID, personId: 'p', accountState: 'active', isRecent: true };
  answer: Answer = { status: 200, type: 'application/json', body: Buffer.from('{}') };
  /** JSON answers of owners that replace the default, by method and path: `GET /internal/orders/1`. */
  readonly answers = new Map<string, object>();
  /** Whether the owners leave calls, except checks of the session, unanswered until `forget` ends them. */
  isSilent = false;
  private readonly unanswered: ServerResponse[] = [];
  mails: MailboxMessage[] = [];
  private readonly owners = new LoopbackServer((...call) => this.answerAsOwner(...call));
  private running: RunningDashboard;
  private client: Client;

  private constructor() {}

  /** @param operations replaces the table of operations. @param settings environment variables of the dashboard. */
  static async start(
    operations?: readonly Operation[],
    settings: Record<string, string> = {},
    clock: Clock = new SystemClock(),
  ): Promise<DashboardUnderTest> {
    const under = new DashboardUnderTest();
    await under.owners.start();
    await under.open(operations, settings, clock);
    return under;
  }

  async stop(): Promise<void> {
    await this.client.destroy();
    await this.owners.stop();
    await this.running.stop();
    // The variables of a spec's file are never freed, and would keep the whole dashboard in memory.
    Reflect.deleteProperty(this, 'running');
  }

  get url(): string {
    return this.running.dashboardUrl;
  }

  get internalUrl(): string {
    return this.running.url;
  }

  forget(): void {
    this.arrived.length = 0;
    this.answers.clear();
    this.session = { ...this.session, accountState: 'active', isRecent: true };
    this.answer = { status: 200, type: 'application/json', body: Buffer.from('{}') };
    this.isSilent = false;
    for (const response of this.unanswered.splice(0)) response.destroy();
  }

  async send(
    method: Method,
    path: string,
    headers: Record<string, string> = {},
    body?: Buffer | string,
  ) {
    const host = { host: new URL(OWN_ORIGIN).host };
    const response = await this.client.request({
      method,
      path,
      headers: { ...host, ...headers },
      body,
    });
    const { statusCode: status, headers: sent } = response;
    const bytes = await buffer(response.body);
    return { status, headers: sent, body: bytes, text: bytes.toString() };
  }

  /** Returns a page as a browser with a session gets it. */
  get(path: string) {
    return this.send('GET', path, { cookie: this.cookie });
  }

  post(path: string, body = '') {
    return this.send('POST', path, { ...this.ours, ...FORM }, body);
  }

  changes(): string[] {
    return this.arrived.map(({ line }) => line).filter((line) => !line.startsWith('GET '));
  }

  answerWith(body: object, status = 200): void {
    this.answer = { ...this.answer, status, body: Buffer.from(JSON.stringify(body)) };
  }

  setBalance(grants: object[] = []): void {
    const balance = { ...BALANCE, grants };
    this.answers.set('GET /internal/balance', balance);
    this.answers.set('GET /internal/overview', { balance, changes: { days: [] } });
  }

  private async answerAsOwner(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/internal/sessions/current') {
      const isKnown = String(request.headers['x-session-token']).startsWith(SESSION);
      response.end(JSON.stringify({ session: isKnown ? this.session : null }));
      return;
    }
    const body = await buffer(request);
    const line = `${request.method} ${request.url}`;
    this.arrived.push({ line, headers: request.headers, body });
    if (this.isSilent) return void this.unanswered.push(response);
    const { status, type, headers } = this.answer;
    const given = this.answers.get(line);
    // Usage, credits and limits are unavailable, unless the spec has set an answer.
    if (!given && AWAY.has(line)) return void response.writeHead(503).end('{}');
    const text = given ? JSON.stringify(given) : this.answer.body;
    response.writeHead(status, { ...headers, 'content-type': type }).end(text);
  }

  private async open(
    operations: readonly Operation[] | undefined,
    settings: Record<string, string>,
    clock: Clock,
  ): Promise<void> {
    const environment = { ...dashboardEnvironment(this.owners.url), ...settings };
    this.running = await startDashboard({
      config: loadConfig(DashboardConfig, environment),
      operations,
      mailbox: { newest: async () => this.mails },
      clock,
      logger: new Logger('dashboard', { write: () => {} }),
    });
    this.client = new Client(this.running.dashboardUrl);
  }
}

/** @param ownersUrl the URL of the server that replaces all owners. */
export function dashboardEnvironment(ownersUrl: string): Record<string, string> {
  return {
    DASHBOARD_PORT: '0',
    DASHBOARD_INTERNAL_PORT: '0',
    DASHBOARD_DRAIN_NOTICE_MS: '0',
    BILLING_URL: OWN_ORIGIN,
    BASE_URL: 'https://api.example',
    ACCOUNT_URL: ownersUrl,
    BILLING_INTERNAL_URL: ownersUrl,
    WORKER_URL: ownersUrl,
    ENTITLEMENT_URL: ownersUrl,
    GATEWAY_URL: ownersUrl,
    SERVICE_SECRET: HARNESS_SECRET,
  };
}

export const textOf = ({ text }: { text: string }) => text.replaceAll(/\s+/g, ' ');
