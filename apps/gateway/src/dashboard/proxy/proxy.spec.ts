import { once } from 'node:events';
import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'undici';
import { EntitlementClient, type Operation, ServiceHttp, defineOperation } from '#libs/contracts';
import { Logger, ServiceTokens, SystemClock } from '#libs/platform';
import { ProblemBodies } from '../../problems/problem-body.js';
import { type RunningDashboard, startDashboard } from '../start-dashboard.js';

const OWN = 'https://dashboard.example';
const CSRF = 'c'.repeat(43);
const SESSION = 's'.repeat(43);
const ACCOUNT_ID = '01980000-0000-7000-8000-000000000001';
const MIB = 1024 * 1024;

const common = {
  summary: 'A row of the test',
  parameters: {},
  price: { per: 'free' },
  problems: [],
  examples: [],
} as const;
class Anything {}

const ROWS: readonly Operation[] = [
  defineOperation({
    ...common,
    name: 'callbacks.receive',
    method: 'POST',
    routes: [{ path: '/callbacks/{processor}', version: 2 }],
    access: { kind: 'signed' },
    owner: { service: 'billing', path: '/internal/callbacks/{processor}' },
    answers: [{ type: 'application/json', of: Anything }],
  }),
  defineOperation({
    ...common,
    name: 'orders.list',
    method: 'GET',
    routes: [{ path: '/api/orders/{id}', version: 2 }],
    access: { kind: 'session' },
    owner: { service: 'billing', path: '/internal/orders/{id}' },
    answers: [{ type: 'application/json', of: Anything }],
  }),
  defineOperation({
    ...common,
    name: 'invoices.file',
    method: 'GET',
    routes: [{ path: '/api/invoices/{id}/file', version: 2 }],
    access: { kind: 'session', accountStates: ['active', 'deleted'] },
    owner: { service: 'billing', path: '/internal/invoices/{id}/file' },
    answers: [{ type: 'application/octet-stream' }],
  }),
];

interface Arrived {
  line: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

describe('calls that the dashboard hands to their owner', () => {
  const arrived: Arrived[] = [];
  const tokens = new ServiceTokens('a secret of the tests', new SystemClock());
  let accountState: string;
  let isSilent: boolean;
  let answer: { status: number; type: string; body: Buffer };
  let owner: Server;
  let dashboard: RunningDashboard;
  let client: Client;

  beforeAll(async () => {
    owner = createServer((request, response) => {
      if (request.url === '/internal/sessions/current') {
        const isKnown = request.headers['x-session-token'] === SESSION;
        const session = isKnown ? { accountId: ACCOUNT_ID, personId: 'p', accountState } : null;
        response.end(JSON.stringify({ session }));
        return;
      }
      void buffer(request).then((body) => {
        arrived.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
        if (isSilent) return;
        response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
      });
    });
    owner.listen(0, '127.0.0.1');
    await once(owner, 'listening');
    const url = `http://127.0.0.1:${(owner.address() as AddressInfo).port}`;
    const http = new ServiceHttp({ url, caller: 'gateway', audience: 'entitlement', tokens });
    dashboard = await startDashboard({
      publicUrl: OWN,
      apiUrl: 'https://api.example',
      host: '127.0.0.1',
      port: 0,
      owners: { account: url, billing: url },
      operations: ROWS,
      entitlement: new EntitlementClient(http),
      tokens,
      bodies: new ProblemBodies('https://api.example', new SystemClock()),
      logger: new Logger('gateway', { write: () => {} }),
    });
    client = new Client(dashboard.url);
  });
  afterAll(async () => {
    await client.destroy();
    owner.closeAllConnections();
    owner.close();
    await dashboard.stop();
  });
  beforeEach(() => {
    arrived.length = 0;
    [accountState, isSilent] = ['active', false];
    answer = { status: 200, type: 'application/json', body: Buffer.from('{}') };
  });

  async function send(method: 'GET' | 'POST', path: string, headers = {}, body?: Buffer) {
    const host = { host: 'dashboard.example' };
    const response = await client.request({ method, path, headers: { ...host, ...headers }, body });
    return {
      status: response.statusCode,
      headers: response.headers,
      body: await buffer(response.body),
    };
  }
  const browser = { cookie: `__Host-csrf=${CSRF}; __Host-session=${SESSION}` };

  it('S41: the bytes that a processor signed reach billing as they came, whatever they are', async () => {
    const signed = { 'stripe-signature': 't=1,v1=abc' };
    const json = Buffer.from('{ "id": "evt_1",\r\n "n": 1.0 }');
    const bodies: [Buffer, Record<string, string>][] = [
      [json, { 'content-type': 'application/json' }],
      [gzipSync(json), { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
      [Buffer.from('a=1&a=2'), { 'content-type': 'application/x-www-form-urlencoded' }],
      [Buffer.from([0, 255, 254, 10]), { 'content-type': 'text/plain' }],
    ];
    for (const [body, headers] of bodies) {
      const { status } = await send('POST', '/callbacks/stripe', { ...signed, ...headers }, body);
      expect(status).toBe(200);
      const { line, headers: seen, body: read } = arrived.at(-1)!;
      expect(line).toBe('POST /internal/callbacks/stripe');
      expect(read.equals(body)).toBe(true);
      expect(seen['content-type']).toBe('application/octet-stream');
      expect(seen['stripe-signature']).toBe('t=1,v1=abc');
    }
  });

  it('S46: a callback of more than 1 MiB is refused before its owner hears of it', async () => {
    const type = { 'content-type': 'application/json' };
    const largest = await send('POST', '/callbacks/stripe', type, Buffer.alloc(MIB, 0x20));
    expect(largest.status).toBe(200);
    arrived.length = 0;
    const larger = await send('POST', '/callbacks/stripe', type, Buffer.alloc(MIB + 1, 0x20));
    expect([larger.status, larger.headers['content-type']]).toEqual([
      413,
      'application/problem+json; charset=utf-8',
    ]);
    expect(arrived).toEqual([]);
  });

  it('S86: a sender from outside says by no header who he is', async () => {
    const forged = {
      'x-account-id': ACCOUNT_ID,
      'x-session-token': SESSION,
      'x-client-address': '203.0.113.9',
      'x-request-id': 'given-by-somebody',
      authorization: 'Bearer gateway.billing.9.x',
      cookie: `__Host-session=${SESSION}`,
      'x-forwarded-for': '203.0.113.9',
    };
    await send('POST', '/callbacks/stripe', forged, Buffer.from('{}'));
    const [{ headers }] = arrived;
    expect(headers['x-account-id']).toBeUndefined();
    expect(headers['x-session-token']).toBeUndefined();
    expect(headers.cookie).toBeUndefined();
    expect(headers['x-forwarded-for']).toBeUndefined();
    expect(headers['x-client-address']).toBe('127.0.0.1');
    expect(tokens.verify(headers.authorization!.slice('Bearer '.length), 'billing')).toBe(
      'gateway',
    );
    await send('GET', '/api/orders/1', { ...browser, 'x-account-id': 'another' });
    expect(arrived[1].headers['x-account-id']).toBe(ACCOUNT_ID);
    expect(arrived[1].headers['x-session-token']).toBeUndefined();
  });

  it('S86: without a session, or of an account that may not, nothing reaches the owner', async () => {
    expect((await send('GET', '/api/orders/1')).status).toBe(401);
    const unknown = { cookie: `__Host-session=${'u'.repeat(43)}` };
    expect((await send('GET', '/api/orders/1', unknown)).status).toBe(401);
    accountState = 'deleted';
    const deleted = await send('GET', '/api/orders/1', browser);
    expect([deleted.status, JSON.parse(deleted.body.toString())]).toEqual([
      403,
      expect.objectContaining({ code: 'account_deleted' }),
    ]);
    expect(arrived).toEqual([]);
    expect((await send('GET', '/api/invoices/1/file', browser)).status).toBe(200);
  });

  it('a path parameter is one segment at the owner, and the query goes with it', async () => {
    await send('GET', '/api/orders/a%2F..%2Fb%3Fc?cursor=x%20y', browser);
    expect(arrived[0].line).toBe('GET /internal/orders/a%2F..%2Fb%3Fc?cursor=x%20y');
  });

  it('a file of any size goes on as it comes, and a refusal in place of it in its own words', async () => {
    answer = { status: 200, type: 'application/pdf', body: Buffer.alloc(3 * MIB, 'file') };
    const file = await send('GET', '/api/invoices/1/file', browser);
    expect([file.status, file.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(file.body.equals(answer.body)).toBe(true);
    const refusal = { code: 'not_found', status: 404, detail: 'There is no such invoice.' };
    answer = {
      status: 404,
      type: 'application/problem+json',
      body: Buffer.from(JSON.stringify(refusal)),
    };
    const refused = await send('GET', '/api/invoices/2/file', browser);
    expect([refused.status, JSON.parse(refused.body.toString())]).toEqual([
      404,
      expect.objectContaining({ code: 'not_found', detail: 'There is no such invoice.' }),
    ]);
  });

  it('S46: an owner that is silent costs a processor 5 s and a 503, which has it ask again', async () => {
    isSilent = true;
    const late = await send('POST', '/callbacks/stripe', {}, Buffer.from('{}'));
    expect([late.status, JSON.parse(late.body.toString())]).toEqual([
      503,
      expect.objectContaining({ code: 'service_unavailable' }),
    ]);
  }, 15_000);
});
