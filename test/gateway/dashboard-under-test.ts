import { once } from 'node:events';
import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Client } from 'undici';
import { EntitlementClient, type Method, type Operation, ServiceHttp } from '#libs/contracts';
import { AccountExports } from '#libs/database';
import { Logger, ServiceTokens, ServiceUnavailable, SystemClock } from '#libs/platform';
import {
  type RunningDashboard,
  startDashboard,
} from '../../apps/gateway/src/dashboard/start-dashboard.js';
import type { OwnOperations } from '../../apps/gateway/src/owners/own-operations.js';
import { ProblemBodies } from '../../apps/gateway/src/problems/problem-body.js';

export const OWN_ORIGIN = 'https://dashboard.example';
export const ACCOUNT_ID = '01980000-0000-7000-8000-000000000001';
const CSRF = 'c'.repeat(43);
const SESSION = 's'.repeat(43);

/** What reached the owner behind the dashboard. */
export interface Arrived {
  line: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A dashboard's listener with one server in the place of every owner, asked over its socket. */
export class DashboardUnderTest {
  readonly arrived: Arrived[] = [];
  readonly tokens = new ServiceTokens('a secret of the tests', new SystemClock());
  /** Sent by a browser that is logged in. */
  readonly cookie = `__Host-csrf=${CSRF}; __Host-session=${SESSION}`;
  /** Headers of its calls that change something. */
  readonly ours = {
    origin: OWN_ORIGIN,
    'sec-fetch-site': 'same-origin',
    'x-csrf-token': CSRF,
    cookie: this.cookie,
  };
  /** What account says of the session. */
  session = { accountId: ACCOUNT_ID, personId: 'p', accountState: 'active', isRecent: true };
  answer = { status: 200, type: 'application/json', body: Buffer.from('{}') };
  /** What owners answer as JSON instead, by method and path: `GET /internal/orders/1`. */
  readonly answers = new Map<string, object>();
  /** The owner takes calls and answers none. */
  isSilent = false;
  private readonly owner: Server;
  private running: RunningDashboard;
  private client: Client;

  private constructor() {
    this.owner = createServer((request, response) => {
      if (request.url === '/internal/sessions/current') {
        const isKnown = request.headers['x-session-token'] === SESSION;
        response.end(JSON.stringify({ session: isKnown ? this.session : null }));
        return;
      }
      void buffer(request).then((body) => {
        const line = `${request.method} ${request.url}`;
        this.arrived.push({ line, headers: request.headers, body });
        if (this.isSilent) return;
        const { status, type } = this.answer;
        const given = this.answers.get(line);
        const text = given ? JSON.stringify(given) : this.answer.body;
        response.writeHead(status, { 'content-type': type }).end(text);
      });
    });
  }

  /** @param operations instead of the table. @param own what the gateway answers itself. */
  static async start(
    operations?: readonly Operation[],
    own: OwnOperations = new Map(),
  ): Promise<DashboardUnderTest> {
    const under = new DashboardUnderTest();
    under.owner.listen(0, '127.0.0.1');
    await once(under.owner, 'listening');
    await under.open(operations, own);
    return under;
  }

  async stop(): Promise<void> {
    await this.client.destroy();
    this.owner.closeAllConnections();
    this.owner.close();
    await this.running.stop();
  }

  /** Where it listens, for callers with connections of their own. */
  get url(): string {
    return this.running.url;
  }

  /** Before each test. */
  forget(): void {
    this.arrived.length = 0;
    this.answers.clear();
    this.session = { ...this.session, accountState: 'active', isRecent: true };
    this.answer = { status: 200, type: 'application/json', body: Buffer.from('{}') };
    this.isSilent = false;
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
    return {
      status: response.statusCode,
      headers: response.headers,
      body: await buffer(response.body),
    };
  }

  private async open(
    operations: readonly Operation[] | undefined,
    own: OwnOperations,
  ): Promise<void> {
    const { tokens } = this;
    const url = `http://127.0.0.1:${(this.owner.address() as AddressInfo).port}`;
    const http = new ServiceHttp({ url, caller: 'gateway', audience: 'entitlement', tokens });
    this.running = await startDashboard({
      publicUrl: OWN_ORIGIN,
      apiUrl: 'https://api.example',
      host: '127.0.0.1',
      port: 0,
      owners: { account: url, billing: url, entitlement: url },
      operations,
      entitlement: new EntitlementClient(http),
      own,
      exports: new AccountExports(undefined as never, { tables: [], withheld: {} }),
      // There is no request log here.
      usage: { usage: () => Promise.reject(new ServiceUnavailable('gateway')) },
      tokens,
      bodies: new ProblemBodies('https://api.example', new SystemClock()),
      clock: new SystemClock(),
      logger: new Logger('gateway', { write: () => {} }),
    });
    this.client = new Client(this.running.url);
  }
}
