import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountRegistered } from '#libs/contracts';
import { InProcessTransport, Outbox } from '#libs/messaging';
import {
  Logger,
  type RunningService,
  SystemClock,
  loadConfig,
  newId,
  openTraces,
  runInContext,
} from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { EntitlementConfig } from '../../apps/entitlement/src/entitlement.config.js';
import { startEntitlement } from '../../apps/entitlement/src/start.js';
import type { RunningGateway } from '../../apps/gateway/src/start.js';
import { LookupConfig } from '../../apps/lookup/src/lookup.config.js';
import { startLookup } from '../../apps/lookup/src/start.js';
import { GatewayHarness } from '../stand-ins/gateway-harness.js';

interface LogLine {
  time: string;
  level: string;
  service: string;
  msg: string;
  route?: string;
  status?: number;
  request_id?: string;
  trace_id?: string;
}

interface ReceivedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

interface Export {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Omit<ReceivedSpan, 'service'>[] }[];
  }[];
}

class Collector {
  readonly spans: ReceivedSpan[] = [];
  connections = 0;
  private server: Server;

  async start(): Promise<string> {
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        this.keep(JSON.parse(Buffer.concat(parts).toString()) as Export);
        response.setHeader('content-type', 'application/json');
        response.end('{}');
      });
    });
    this.server.on('connection', () => this.connections++);
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private keep({ resourceSpans }: Export): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const name = resource.attributes.find(({ key }) => key === 'service.name');
      const service = name?.value.stringValue ?? '';
      for (const { spans } of scopeSpans) {
        this.spans.push(...spans.map((span) => ({ ...span, service })));
      }
    }
  }
}

const SECRET = 'a-secret-of-the-tests-that-is-long-enough';

describe('one request', () => {
  let database: TestDatabase;
  let around: GatewayHarness;
  let transport: InProcessTransport;
  let entitlement: RunningService;
  let lookup: RunningService;
  let gateway: RunningGateway;
  let collector: Collector;
  let endpoint: string;
  const lines: LogLine[] = [];

  beforeAll(async () => {
    collector = new Collector();
    endpoint = await collector.start();
    database = await TestDatabase.create();
    around = new GatewayHarness(database);
    await around.start();
    const clock = new SystemClock();
    const write = (line: string) => void lines.push(JSON.parse(line) as LogLine);
    const loggerOf = (service: string) => new Logger(service, { write }, 'debug');
    const logger = loggerOf('entitlement');
    transport = new InProcessTransport({
      logger,
      consumers: { account: ['entitlement'], billing: ['entitlement'] },
    });
    entitlement = await startEntitlement({
      config: Object.assign(new EntitlementConfig(), {
        port: 0,
        databaseUrl: database.url('entitlement'),
        maintenanceDatabaseUrl: database.url('entitlement_maintenance'),
        auditorDatabaseUrl: database.url('entitlement_auditor'),
        serviceSecret: SECRET,
      }),
      clock,
      logger,
      transport,
    });
    await transport.startRelay('account', await database.maintenance('account'));
    lookup = await startLookup({
      config: loadConfig(LookupConfig, { SERVICE_SECRET: SECRET, LOOKUP_PORT: '0' }),
      clock,
      logger: loggerOf('lookup'),
    });
    gateway = await around.startGateway({
      ENTITLEMENT_URL: entitlement.url,
      LOOKUP_URL: lookup.url,
    });
  });
  afterAll(async () => {
    await around?.stop();
    await lookup?.stop();
    await transport?.close();
    await entitlement?.stop();
    await database?.drop();
    await collector?.stop();
  });

  async function register(traceparent?: string): Promise<string> {
    const accountId = newId();
    const outbox = new Outbox('account', new SystemClock(), transport);
    const producer = await database.service('account');
    const trialClaim = newId().replaceAll('-', '').padEnd(64, '0');
    await runInContext({ traceparent }, () =>
      producer.transaction(async (transaction) => {
        const aggregate = `account:${accountId}`;
        const lock = await outbox.lock(transaction, { key: accountId, aggregate });
        await outbox.add(transaction, lock, AccountRegistered, { trialClaim });
      }),
    );
    const consumer = await database.service('entitlement');
    await waitFor('the trial credits', async () => {
      const grants = await consumer.query('select from credit_grants where account_id = $1', [
        accountId,
      ]);
      return grants.length > 0;
    });
    return accountId;
  }

  async function ask(): Promise<string> {
    const { apiKey } = around.account.addKey({ accountId: await register() });
    // No registry serves this name, so lookup answers without querying a server.
    const answer = await fetch(
      `${gateway.apiUrl}/v2.0/whois/live?domainName=name.example&apiKey=${apiKey}`,
    );
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining('unsupported'),
    ]);
    return answer.headers.get('x-request-id') ?? '';
  }
  const linesOf = (requestId: string, service: string) =>
    lines.filter((line) => line.request_id === requestId && line.service === service);
  /** Waits for log lines, which are written after the answer has been sent. */
  async function untilLogged(requestId: string): Promise<void> {
    await waitFor('the lines', () => linesOf(requestId, 'entitlement').length > 1);
    await waitFor('the line', () => linesOf(requestId, 'lookup').length > 0);
  }

  it('is found by its id in the log lines of every service that worked on it', async () => {
    const requestId = await ask();
    const other = await ask();
    for (const id of [requestId, other]) await untilLogged(id);
    expect(linesOf(requestId, 'lookup')[0].route).toBe('/internal/whois/live');
    const [allowance, acquire] = linesOf(requestId, 'entitlement');
    expect(allowance).toMatchObject({ level: 'debug', msg: 'answered', status: 200 });
    expect(allowance.route).toContain('allowance');
    expect(acquire.route).toContain('leases');
    expect(Date.parse(allowance.time)).not.toBeNaN();
    for (const line of lines) expect(line.request_id).not.toBe('');
    expect(linesOf(other, 'entitlement')).toHaveLength(2);
  });

  it('is found by its id in the line of entitlement that holds credits for a bulk request', async () => {
    const { apiKey } = around.account.addKey({ accountId: await register(), scopes: ['bulk'] });
    const answer = await fetch(`${gateway.apiUrl}/v2.0/bulkwhois/live`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ domainNames: ['name.example', 'other.example'] }),
    });
    expect(answer.status).toBe(200);
    const requestId = answer.headers.get('x-request-id') ?? '';
    const isHold = ({ route }: LogLine) => route === '/internal/holds';
    await waitFor('the line', () => linesOf(requestId, 'entitlement').some(isHold));
  });

  it('opens no connection to a collector if none is configured', async () => {
    const traces = await openTraces({ otlpEndpoint: '', sampledShare: 1 });
    await ask();
    await traces.close();
    expect(collector.connections).toBe(0);
    expect(lines.filter(({ trace_id: id }) => id !== undefined)).toEqual([]);
  });

  it('is one trace from the gateway to lookup and entitlement, and the log contains the trace id', async () => {
    const traces = await openTraces({ otlpEndpoint: endpoint, sampledShare: 1 });
    const requestId = await ask();
    await untilLogged(requestId);
    await traces.close();
    const root = collector.spans.find(({ name }) => name === 'GET /v2.0/whois/live');
    expect(root).toMatchObject({ service: 'gateway' });
    const ofTrace = collector.spans.filter(({ traceId }) => traceId === root?.traceId);
    const named = (service: string, name: string) =>
      ofTrace.find((span) => span.service === service && span.name.includes(name));
    expect(named('lookup', '/internal/whois/live')?.parentSpanId).toBe(root?.spanId);
    expect(linesOf(requestId, 'lookup')[0].trace_id).toBe(root?.traceId);
    expect(named('gateway', 'GET account')?.parentSpanId).toBe(root?.spanId);
    const call = named('gateway', 'entitlement');
    expect(call?.parentSpanId).toBe(root?.spanId);
    expect(named('entitlement', '/internal/')?.traceId).toBe(root?.traceId);
    expect(linesOf(requestId, 'entitlement')[0].trace_id).toBe(root?.traceId);
    for (const { name } of collector.spans) expect(name).not.toMatch(/dds_|name\.example/);
  });

  it('shares its trace with the events that it causes', async () => {
    collector.spans.length = 0;
    const traces = await openTraces({ otlpEndpoint: endpoint, sampledShare: 0 });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await register(`00-${traceId}-b7ad6b7169203331-01`);
    // The relay's span ends when the event is marked as sent, which may be after it was handled.
    const of = () => collector.spans.filter((span) => span.traceId === traceId);
    await waitFor('the spans', () => of().length > 1);
    await traces.close();
    expect(
      of()
        .map(({ service, name }) => `${service}: ${name}`)
        .sort(),
    ).toEqual([
      'account: publish account.account-registered',
      'entitlement: handle account.account-registered',
    ]);
  });

  it('is not traced if the configured share of requests is 0', async () => {
    collector.spans.length = 0;
    const traces = await openTraces({ otlpEndpoint: endpoint, sampledShare: 0 });
    await ask();
    await traces.close();
    expect(collector.spans).toEqual([]);
  });
});
