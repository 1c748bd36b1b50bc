import { once } from 'node:events';
import type { Server } from 'node:http';
import { type Socket, connect } from 'node:net';
import { mock } from 'node:test';
import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { NestApplicationContext } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { IsString, MaxLength } from 'class-validator';
import {
  AccountId,
  AllowCallers,
  DatabaseUnavailable,
  Logger,
  Metrics,
  Problem,
  type RunningService,
  ServiceModule,
  ServiceTokens,
  SystemClock,
  newId,
  startService,
} from '#libs/platform';
import { waitFor } from '#test/environment';

class EchoRequest {
  @IsString()
  @MaxLength(20_000)
  text: string;
}

@Controller('/internal')
class DemoController {
  @Get('/whoami')
  @AllowCallers('gateway')
  whoami(@AccountId() accountId: string): object {
    return { accountId };
  }

  @Post('/echo')
  @AllowCallers('gateway')
  echo(@Body() body: EchoRequest): object {
    return { text: body.text };
  }

  @Get('/undeclared')
  undeclared(): object {
    return {};
  }

  @Get('/refusal')
  @AllowCallers('gateway')
  refusal(): never {
    throw new Problem({ code: 'demo_refused', status: 409, detail: 'No.', members: { hint: 1 } });
  }

  @Get('/starved')
  @AllowCallers('gateway')
  starved(): never {
    throw new DatabaseUnavailable(new Error('no connection became free'));
  }

  @Get('/crash')
  @AllowCallers('gateway')
  crash(): never {
    throw new Error('select secret from table at /srv/app.js');
  }
}

const SECRET = 'a-service-secret';
const clock = new SystemClock();
let log = '';
const logger = new Logger('demo', { write: (line: string) => void (log += line) });

/** Returns the head of a request whose body does not follow. */
const headOfBody = (token: string) =>
  `POST /internal/echo HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n`;

@Module({
  imports: [
    ServiceModule.register({ name: 'account', clock, logger, secret: { serviceSecret: SECRET } }),
  ],
  controllers: [DemoController],
})
class DemoModule {}

describe('service', () => {
  let service: RunningService;
  const token = new ServiceTokens(SECRET, clock).issue('gateway', 'account');

  beforeAll(async () => {
    service = await startService({ module: DemoModule, logger, port: 0, host: '127.0.0.1' });
  });
  afterAll(() => service.stop());

  it('metrics are served as text, without a token', async () => {
    const answer = await fetch(`${service.url}/metrics`);
    expect(answer.headers.get('content-type')).toBe(Metrics.contentType);
    expect(await answer.text()).toContain('# TYPE process_resident_memory_bytes gauge');
  });

  async function open(localAddress: string): Promise<Socket> {
    const { hostname: host, port } = new URL(service.url);
    const socket = connect({ host, port: Number(port), localAddress }).on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });
  const post = (body: string, type = 'application/json') =>
    fetch(`${service.url}/internal/echo`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    });

  it('S86: a route without a policy, a call without a token and an unlisted caller are refused', async () => {
    expect((await get('/internal/undeclared')).status).toBe(403);
    expect((await get('/internal/refusal', { authorization: '' })).status).toBe(403);
    const worker = new ServiceTokens(SECRET, clock).issue('worker', 'account');
    expect((await get('/internal/refusal', { authorization: `Bearer ${worker}` })).status).toBe(
      403,
    );
  });

  it('S86: a call with a body, but without a valid token, is refused before its body arrives', async () => {
    const socket = await open('127.0.0.1');
    const answer = once(socket, 'data');
    socket.write(headOfBody(`${token}x`));
    expect(String((await answer)[0])).toMatch(/^HTTP\/1.1 403 .*caller_not_allowed/s);
    socket.destroy();
  });

  it('S126: of 2,100 idle connections of one peer, at most its share stays open, and others are served', async () => {
    const flood: Socket[] = [];
    for (let n = 0; n < 2_100; n += 1) flood.push(await open('127.0.0.2'));
    const closed = () => flood.filter((one) => one.closed).length;
    await waitFor('the first to make room', () => closed() === 2_100 - 2_048);
    const socket = await open('127.0.0.3');
    const answer = once(socket, 'data');
    socket.write('GET /health HTTP/1.1\r\nhost: a\r\n\r\n');
    expect(String((await answer)[0])).toContain('HTTP/1.1 200 ');
    for (const one of [...flood, socket]) one.destroy();
  });

  it('S117: a refused call is logged, without its token', async () => {
    log = '';
    const forged = `${token}x`;
    await get('/internal/refusal', { authorization: `Bearer ${forged}` });
    const [line] = log.trim().split('\n');
    expect(JSON.parse(line)).toMatchObject({
      msg: 'refused',
      code: 'caller_not_allowed',
      route: '/internal/refusal',
    });
    expect(line).not.toContain(token);
  });

  it('a flood of requests that run out of time is logged as one line, and each other failure as its own line', async () => {
    log = '';
    for (let i = 0; i < 20; i += 1) {
      expect((await get(`/internal/starved?id=${i}`)).status).toBe(503);
    }
    const [line, ...others] = log.trim().split('\n');
    expect([JSON.parse(line), others]).toMatchObject([
      { msg: 'GET /internal/starved failed', err: { message: 'no connection became free' } },
      [],
    ]);
    log = '';
    for (let i = 0; i < 2; i += 1) expect((await get('/internal/crash')).status).toBe(500);
    expect(log.trim().split('\n')).toHaveLength(2);
  });

  it('S89: a missing or malformed account id gets 400', async () => {
    for (const id of ['', '1', "' or 1=1", newId().toUpperCase()]) {
      expect((await get('/internal/whoami', { 'x-account-id': id })).status).toBe(400);
    }
    const accountId = newId();
    expect(await (await get('/internal/whoami', { 'x-account-id': accountId })).json()).toEqual({
      accountId,
    });
  });

  it('S90: an unknown member of a body is named and rejected', async () => {
    const response = await post(JSON.stringify({ text: 'a', role: 'admin' }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ field: 'role' }],
    });
  });

  it.each([
    ['a deep nesting', 400, `{"text":${'['.repeat(30)}${']'.repeat(30)}}`, 'nested deeper than 20'],
    ['a long array', 413, `{"text":[${'1,'.repeat(1_000)}1]}`, 'more than 1000 items'],
    ['a long string', 400, JSON.stringify({ text: 'x'.repeat(10_241) }), 'longer than 10240'],
    ['broken JSON', 400, '{"text":', 'JSON'],
  ])('S94: a body with %s is a %i with the reason', async (_, status, body, reason) => {
    const response = await post(body);
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(reason),
    ]);
  });

  it('S94: a body over 256 KiB, or one that is not JSON, is refused', async () => {
    expect((await post(JSON.stringify({ text: 'x'.repeat(300_000) }))).status).toBe(413);
    expect((await post('<xml/>', 'application/xml')).status).toBe(415);
  });

  it('S69: a member named __proto__ or constructor is refused', async () => {
    expect((await post('{"text":"a","__proto__":{"admin":true}}')).status).toBe(400);
    expect((await post('{"text":"a","constructor":{"prototype":{}}}')).status).toBe(400);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  it('a rejection keeps its code, status and members', async () => {
    const response = await get('/internal/refusal');
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      code: 'demo_refused',
      retryable: false,
      hint: 1,
    });
  });

  it('S95: a caller gets a generic text for an unexpected error, and the log gets all of it', async () => {
    const response = await get('/internal/crash');
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toMatch(/select secret|app\.js|Error/);
    expect(JSON.parse(text)).toMatchObject({ code: 'internal_error', retryable: true });
    expect(log).toContain('select secret from table');
  });

  it.each([
    '/%zz?apiKey=canary',
    '/internal/%E0%A4%A?apiKey=canary',
    '/nothing-here?apiKey=canary',
    '/internal/whoami?apiKey=canary',
    `/internal/${'x'.repeat(300)}?apiKey=canary`,
  ])('S9: a refusal never repeats the URL: %s', async (path) => {
    const response = await get(path);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await response.json()).toMatchObject({ code: expect.any(String) });
    expect(await (await get(path)).text()).not.toMatch(/canary|%/);
  });

  it('readiness is served without a token', async () => {
    const response = await fetch(`${service.url}/ready`);
    expect(await response.json()).toEqual({ status: 'ok', faults: [] });
  });
});

it('a request whose body never ends does not keep a stopping service from ending', async () => {
  const service = await startService({ module: DemoModule, logger, port: 0, host: '127.0.0.1' });
  const connected = once(service.app.getHttpServer(), 'connection');
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
  socket.write(headOfBody(new ServiceTokens(SECRET, clock).issue('gateway', 'account')));
  const [its] = (await connected) as [Socket];
  if (its.bytesRead === 0) await once(its, 'data');
  mock.timers.enable({ apis: ['setTimeout'] });
  const stopped = service.stop();
  mock.timers.tick(60_000);
  mock.timers.reset();
  await stopped;
  socket.destroy();
});

it('a stop that fails leaves no timer behind', async () => {
  const service = await startService({ module: DemoModule, logger, port: 0, host: '127.0.0.1' });
  const closing = jest
    .spyOn(NestApplicationContext.prototype, 'close')
    .mockRejectedValueOnce(new Error('not closed'));
  mock.timers.enable({ apis: ['setTimeout'] });
  const cutOff = jest.spyOn(service.app.getHttpServer() as Server, 'closeAllConnections');
  await expect(service.stop()).rejects.toThrow('not closed');
  mock.timers.tick(60_000);
  mock.timers.reset();
  expect(cutOff).not.toHaveBeenCalled();
  closing.mockRestore();
  await service.stop();
});
