import { once } from 'node:events';
import { ServerResponse, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IsOptional } from 'class-validator';
import { type Operation, defineOperation, text, tusVerbs } from '#libs/contracts';
import { ServiceTokens, SystemClock } from '#libs/platform';
import { waitFor } from '#test/environment';
import { ACCOUNT_ID, DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { ServiceProxy } from '../service-calls/service-proxy.js';
import { PARALLEL_MAX, WAITING_MAX } from '../../../account/src/passwords/passwords.service.js';
import { currentSession } from '../service-calls/sessions.js';

const MIB = 1024 * 1024;

const common = {
  summary: 'A row of the test',
  price: { per: 'free' },
  problems: [],
  examples: [{ title: 'One', parameters: {}, answer: {} }],
} as const;
class Anything {
  @IsOptional()
  anything?: unknown;
}

const ROWS: readonly Operation[] = [
  defineOperation({
    ...common,
    name: 'callbacks.receive',
    parameters: { processor: { kind: text(20), about: 'Whose', example: 'stripe', in: 'path' } },
    method: 'POST',
    routes: [{ path: '/callbacks/{processor}', version: 2 }],
    access: {
      kind: 'signed',
      headers: ['stripe-signature'],
      unsigned: { code: 'callback_rejected', status: 400, detail: 'Not signed.' },
    },
    owner: { service: 'billing', path: '/internal/callbacks/{processor}' },
    answers: [{ type: 'application/json', of: Anything }],
  }),
  defineOperation({
    ...common,
    name: 'orders.list',
    parameters: {
      id: { kind: text(64), about: 'An id', example: '1', in: 'path' },
      cursor: { kind: text(64), about: 'A cursor', example: 'x' },
    },
    method: 'GET',
    routes: [{ path: '/api/orders/{id}', version: 2 }],
    access: { kind: 'session' },
    owner: { service: 'billing', path: '/internal/orders/{id}' },
    answers: [{ type: 'application/json', of: Anything }],
  }),
  defineOperation({
    ...common,
    name: 'invoices.file',
    parameters: { id: { kind: text(64), about: 'An id', example: '1', in: 'path' } },
    method: 'GET',
    routes: [{ path: '/api/invoices/{id}/file', version: 2 }],
    access: { kind: 'session', accountStates: ['active', 'deleted'] },
    owner: { service: 'billing', path: '/internal/invoices/{id}/file' },
    answers: [{ type: 'file', mediaTypes: ['application/pdf'] }],
  }),
  defineOperation({
    ...tusVerbs({
      service: 'billing',
      path: '/api/uploads',
      ownerPath: '/internal/uploads',
      access: { kind: 'session' },
      limitBytes: 4 * MIB,
      extensions: ['creation'],
    }).append,
    name: 'uploads.append',
    summary: 'A piece of a file',
    problems: [],
  }),
  defineOperation({
    ...common,
    name: 'plans.cancel',
    parameters: {},
    method: 'POST',
    routes: [{ path: '/api/plans/cancel', version: 2 }],
    access: { kind: 'session', needsReauthentication: true },
    owner: { service: 'billing', path: '/internal/plans/cancel' },
    answers: [{ type: 'application/json', of: Anything }],
  }),
];

describe('calls forwarded to their owner', () => {
  let under: DashboardUnderTest;

  beforeAll(async () => {
    under = await DashboardUnderTest.start(ROWS);
  });
  afterAll(() => under?.stop());
  beforeEach(() => under.forget());

  it('S41: the bytes that a processor signed reach billing unchanged, whatever they are', async () => {
    const signed = { 'stripe-signature': 't=1,v1=abc' };
    const json = Buffer.from('{ "id": "evt_1",\r\n "n": 1.0 }');
    const bodies: [Buffer, Record<string, string>][] = [
      [json, { 'content-type': 'application/json' }],
      [gzipSync(json), { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
      [Buffer.from('a=1&a=2'), { 'content-type': 'application/x-www-form-urlencoded' }],
      [Buffer.from([0, 255, 254, 10]), { 'content-type': 'text/plain' }],
    ];
    for (const [body, headers] of bodies) {
      const { status } = await under.send(
        'POST',
        '/callbacks/stripe',
        { ...signed, ...headers },
        body,
      );
      expect(status).toBe(200);
      const { line, headers: seen, body: read } = under.arrived.at(-1)!;
      expect(line).toBe('POST /internal/callbacks/stripe');
      expect(read.equals(body)).toBe(true);
      expect(seen['content-type']).toBe('application/octet-stream');
      expect(seen['stripe-signature']).toBe('t=1,v1=abc');
    }
  });

  it('S46: a callback larger than 1 MiB is rejected before it reaches its owner', async () => {
    const type = { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=abc' };
    const largest = await under.send('POST', '/callbacks/stripe', type, Buffer.alloc(MIB, 0x20));
    expect(largest.status).toBe(200);
    under.arrived.length = 0;
    const larger = await under.send('POST', '/callbacks/stripe', type, Buffer.alloc(MIB + 1, 0x20));
    expect([larger.status, larger.headers['content-type']]).toEqual([
      413,
      'application/problem+json; charset=utf-8',
    ]);
    expect(under.arrived).toEqual([]);
  });

  it('S86: no header from outside can claim an identity', async () => {
    const forged = {
      'x-account-id': ACCOUNT_ID,
      'x-session-token': 's'.repeat(43),
      'x-client-address': '203.0.113.9',
      'x-request-id': 'given-by-somebody',
      'stripe-signature': 't=1,v1=abc',
      authorization: 'Bearer gateway.billing.9.x',
      cookie: under.cookie,
      'x-forwarded-for': '203.0.113.9',
    };
    await under.send('POST', '/callbacks/stripe', forged, Buffer.from('{}'));
    const [{ headers }] = under.arrived;
    expect(headers['x-account-id']).toBeUndefined();
    expect(headers['x-session-token']).toBeUndefined();
    expect(headers.cookie).toBeUndefined();
    expect(headers['x-forwarded-for']).toBeUndefined();
    expect(headers['x-client-address']).toBe('127.0.0.1');
    expect(headers['x-request-id']).toMatch(/^req_/);
    expect(under.tokens.verify(headers.authorization!.slice('Bearer '.length), 'billing')).toBe(
      'dashboard',
    );
    await under.send('GET', '/api/orders/1', {
      cookie: under.cookie,
      'x-account-id': 'another',
    });
    expect(under.arrived[1].headers['x-account-id']).toBe(ACCOUNT_ID);
    expect(under.arrived[1].headers['x-session-token']).toBeUndefined();
  });

  it('S86: without a session, or for a deleted account if the operation does not permit it, nothing reaches the owner', async () => {
    expect((await under.send('GET', '/api/orders/1')).status).toBe(401);
    const unknown = { cookie: `__Host-session=${'u'.repeat(43)}` };
    expect((await under.send('GET', '/api/orders/1', unknown)).status).toBe(401);
    under.session.accountState = 'deleted';
    const deleted = await under.send('GET', '/api/orders/1', { cookie: under.cookie });
    expect([deleted.status, JSON.parse(deleted.body.toString())]).toEqual([
      403,
      expect.objectContaining({ code: 'account_deleted' }),
    ]);
    expect(under.arrived).toEqual([]);
    expect((await under.send('GET', '/api/invoices/1/file', { cookie: under.cookie })).status).toBe(
      200,
    );
  });

  it('S35: a call of any owner may require a password entered within the last ten minutes', async () => {
    under.session.isRecent = false;
    const old = await under.send('POST', '/api/plans/cancel', under.ours);
    expect([old.status, JSON.parse(old.body.toString())]).toEqual([
      403,
      expect.objectContaining({ code: 'reauthentication_required' }),
    ]);
    expect(under.arrived).toEqual([]);
    under.session.isRecent = true;
    expect((await under.send('POST', '/api/plans/cancel', under.ours)).status).toBe(200);
    expect(under.arrived.map(({ line }) => line)).toEqual(['POST /internal/plans/cancel']);
  });

  it('the description of the calls is public', async () => {
    const { status, headers, body } = await under.send('GET', '/api/openapi.json');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const { paths, servers } = JSON.parse(body.toString()) as { paths: object; servers: object };
    expect(servers).toEqual([{ url: 'https://dashboard.example' }]);
    expect(Object.keys(paths)).toEqual([
      '/api/orders/{id}',
      '/api/invoices/{id}/file',
      '/api/uploads/{id}',
      '/api/plans/cancel',
    ]);
  });

  it('S104: all clients get the API description from the same buffer', async () => {
    const end = jest.spyOn(ServerResponse.prototype, 'end');
    for (let n = 0; n < 2; n++) await under.send('GET', '/api/openapi.json');
    const [first, second] = end.mock.calls.map(([chunk]) => chunk as unknown);
    end.mockRestore();
    expect([Buffer.isBuffer(first), first === second]).toEqual([true, true]);
  });

  it('a path parameter is one segment at the owner, and the query is forwarded', async () => {
    await under.send('GET', '/api/orders/a%2F..%2Fb%3Fc?cursor=x%20y', { cookie: under.cookie });
    expect(under.arrived[0].line).toBe('GET /internal/orders/a%2F..%2Fb%3Fc?cursor=x%20y');
  });

  it('range requests and conditional requests for a file reach its owner', async () => {
    under.answer = { status: 206, type: 'application/pdf', body: Buffer.from('part') };
    const asked = { cookie: under.cookie, range: 'bytes=0-3', 'if-range': '"v1"' };
    const part = await under.send('GET', '/api/invoices/1/file', asked);
    expect([part.status, part.body.toString()]).toEqual([206, 'part']);
    expect(part.headers).toMatchObject({
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
    });
    expect(under.arrived[0].headers).toMatchObject({
      range: 'bytes=0-3',
      'if-range': '"v1"',
      'x-account-id': ACCOUNT_ID,
    });
    expect(under.arrived[0].headers).not.toHaveProperty('cookie');
  });

  it('S29: an upload is streamed to its owner, and only from the dashboard’s own pages', async () => {
    const tus = {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    };
    const body = Buffer.alloc(3 * MIB, 'piece');
    under.answer = { status: 204, type: 'text/plain', body: Buffer.alloc(0) };
    const sent = await under.send('PATCH', '/api/uploads/1', { ...under.ours, ...tus }, body);
    expect(sent.status).toBe(204);
    const [{ line, headers, body: arrived }] = under.arrived;
    expect([line, headers['upload-offset']]).toEqual(['PATCH /internal/uploads/1', '0']);
    expect(headers['x-account-id']).toBe(ACCOUNT_ID);
    expect(arrived.equals(body)).toBe(true);
    under.arrived.length = 0;
    const foreign = { ...under.ours, ...tus, origin: 'https://elsewhere.example' };
    const small = Buffer.from('piece');
    expect((await under.send('PATCH', '/api/uploads/1', foreign, small)).status).toBe(403);
    const { cookie: _none, ...visitor } = under.ours;
    const refused = await under.send('PATCH', '/api/uploads/1', { ...visitor, ...tus }, small);
    expect(refused.status).toBe(403);
    const elsewhere = await under.send(
      'POST',
      '/api/plans/cancel',
      { ...under.ours, ...tus },
      small,
    );
    expect(elsewhere.status).toBe(415);
    expect(under.arrived).toEqual([]);
  });

  it('a file of any size is streamed, and a rejection in place of a file keeps its own text', async () => {
    under.answer = { status: 200, type: 'application/pdf', body: Buffer.alloc(3 * MIB, 'file') };
    const file = await under.send('GET', '/api/invoices/1/file', { cookie: under.cookie });
    expect([file.status, file.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(file.body.equals(under.answer.body)).toBe(true);
    const refusal = { code: 'not_found', status: 404, detail: 'There is no such invoice.' };
    under.answer = {
      status: 404,
      type: 'application/problem+json',
      body: Buffer.from(JSON.stringify(refusal)),
    };
    const refused = await under.send('GET', '/api/invoices/2/file', { cookie: under.cookie });
    expect([refused.status, JSON.parse(refused.body.toString())]).toEqual([
      404,
      expect.objectContaining({ code: 'not_found', detail: 'There is no such invoice.' }),
    ]);
  });

  it('S46: a callback whose body does not arrive within 5 s gets 408 and reaches nobody', async () => {
    const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
    socket.write(
      'POST /callbacks/stripe HTTP/1.1\r\nhost: dashboard.example\r\nstripe-signature: t=1,v1=abc\r\n' +
        'content-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    const answer = Buffer.concat(await socket.toArray()).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"code":"request_timeout"');
    expect(under.arrived).toEqual([]);
  }, 15_000);

  it('S46: if the owner does not answer within 5 s, the processor gets 503, so that it retries', async () => {
    under.isSilent = true;
    const signed = { 'stripe-signature': 't=1,v1=abc' };
    const late = await under.send('POST', '/callbacks/stripe', signed, Buffer.from('{}'));
    expect([late.status, JSON.parse(late.body.toString())]).toEqual([
      503,
      expect.objectContaining({ code: 'service_unavailable' }),
    ]);
  }, 15_000);
});

describe('S102: a slow owner', () => {
  const held: ServerResponse[] = [];
  const owner = createServer((request, answer) => {
    if (request.url === '/orders') held.push(answer);
    else answer.end('{"session":null}');
  });
  const of = (clientAddress: string) => ({ clientAddress, requestId: 'req_1', sessionToken: 't' });
  let proxy: ServiceProxy;

  beforeAll(async () => {
    owner.listen(0, '127.0.0.1');
    await once(owner, 'listening');
    const url = `http://127.0.0.1:${(owner.address() as AddressInfo).port}`;
    const secret = 'a secret of the tests, thirty-two characters';
    const tokens = new ServiceTokens(secret, new SystemClock());
    proxy = new ServiceProxy({ service: 'billing', url, tokens });
  });
  afterAll(async () => {
    await proxy.close();
    owner.close();
  });

  const slow = (clientAddress: string, accountId?: string) =>
    proxy.call({ method: 'GET', path: '/orders', visitor: of(clientAddress), accountId });
  const letGo = () => {
    for (const answer of held.splice(0)) answer.end('{}');
  };
  const quick = { method: 'GET', path: '/other', visitor: of('198.51.100.9') } as const;

  async function end(calls: Promise<unknown>[]): Promise<void> {
    let isOver = false;
    void Promise.allSettled(calls).then(() => (isOver = true));
    await waitFor('all to be answered', () => {
      letGo();
      return isOver;
    });
  }

  it.each([
    ['network', undefined],
    ['account', ACCOUNT_ID],
  ])(
    'at most 12 calls of one %s run at once; other calls get through',
    async (_whose, accountId) => {
      const calls = Array.from({ length: 12 + 64 }, (_, place) =>
        slow(accountId ? `10.0.0.${place}` : '203.0.113.7', accountId),
      );
      await waitFor('the share to be used up', () => held.length === 12);
      await expect(slow('203.0.113.7', accountId)).rejects.toMatchObject({ code: 'too_busy' });
      expect(await proxy.call(quick)).toMatchObject({ status: 200 });
      expect(held).toHaveLength(12);
      await end(calls);
      expect(await Promise.all(calls)).toHaveLength(76);
    },
  );

  it('calls that wait too long are cancelled, and their slots become free', async () => {
    const calls = Array.from({ length: 12 }, () => slow('203.0.113.8'));
    await waitFor('the share to be used up', () => held.length === 12);
    const late = { ...quick, visitor: of('203.0.113.8'), timeoutMs: 50 };
    await expect(proxy.call(late)).rejects.toMatchObject({ code: 'service_unavailable' });
    await end(calls);
    expect(await proxy.call({ ...late, timeoutMs: undefined })).toMatchObject({ status: 200 });
  });

  it('callbacks and session checks get through while browsers use all of their connections, which outnumber the log-ins that can wait in account', async () => {
    expect(PARALLEL_MAX + WAITING_MAX).toBeLessThan(96 - 12);
    const calls = Array.from({ length: 108 }, (_, place) => slow(`10.1.${place % 9}.1`));
    await waitFor('every connection for browsers to be in use', () => held.length >= 96);
    const callback = { method: 'POST', path: '/callbacks', visitor: of('192.0.2.1') } as const;
    expect(await proxy.call({ ...callback, headers: {} })).toMatchObject({ status: 200 });
    expect(await currentSession(proxy, of('10.1.0.1'))).toBeNull();
    expect(held).toHaveLength(96);
    await end(calls);
  });
});
