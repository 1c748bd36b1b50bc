import { once } from 'node:events';
import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'undici';
import { OPERATIONS } from '#libs/contracts';
import { Logger, SystemClock, loadConfig } from '#libs/platform';
import {
  OWN_ORIGIN as OWN,
  dashboardEnvironment,
} from '../../../test/dashboard/dashboard-under-test.js';
import { DashboardConfig } from './dashboard.config.js';
import { proxiedRoutes } from './proxy/proxied-route.js';
import { type RunningDashboard, startDashboard } from './start.js';

const CSRF = 'c'.repeat(43);
const SESSION = 's'.repeat(43);
const CONNECTIONS_MAX = 20;
const ADA = '{"email":"ada@example.com","password":"a sentence is fine"}';
const LOGGED_IN = {
  accountId: '01980000-0000-7000-8000-000000000001',
  accountState: 'active',
  isRecent: true,
};

interface Arrived {
  line: string;
  headers: IncomingHttpHeaders;
  body: string;
}

describe('dashboard', () => {
  const arrived: Arrived[] = [];
  const logged: string[] = [];
  let answer: { status: number; headers?: Record<string, string>; body: object };
  let session: (typeof LOGGED_IN & { suspendedBecause?: string; restorableUntil?: string }) | null;
  let internal: Server;
  let dashboard: RunningDashboard;
  let client: Client;

  beforeAll(async () => {
    internal = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (request.url === '/internal/sessions/current') {
          response.end(JSON.stringify({ session }));
          return;
        }
        arrived.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
        response.writeHead(answer.status, answer.headers);
        response.end(JSON.stringify(answer.body));
      });
    });
    await new Promise<void>((resolve) => internal.listen(0, '127.0.0.1', resolve));
    const internalUrl = `http://127.0.0.1:${(internal.address() as { port: number }).port}`;
    dashboard = await startDashboard({
      config: loadConfig(DashboardConfig, {
        ...dashboardEnvironment(internalUrl),
        // This test runs no gateway, so there is no request log.
        GATEWAY_URL: 'http://127.0.0.1:1',
        DASHBOARD_CONNECTIONS_MAX: String(CONNECTIONS_MAX),
      }),
      clock: new SystemClock(),
      logger: new Logger('dashboard', { write: (line: string) => void logged.push(line) }),
    });
    client = new Client(dashboard.dashboardUrl);
  });
  afterAll(async () => {
    await client.close();
    await dashboard.stop();
    internal.close();
  });
  beforeEach(() => {
    arrived.length = 0;
    answer = { status: 200, body: {} };
    session = null;
  });

  async function send(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ) {
    const response = await client.request({
      method: method as 'GET',
      path,
      headers: { host: 'dashboard.example', ...headers },
      body,
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      text: await response.body.text(),
    };
  }

  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const ours = {
    origin: OWN,
    'sec-fetch-site': 'same-origin',
    'x-csrf-token': CSRF,
    cookie: `__Host-csrf=${CSRF}; __Host-session=${SESSION}`,
  };

  it('S29: no state-changing route acts unless both origin and token are the dashboard’s own', async () => {
    const without = (...names: string[]) =>
      Object.fromEntries(Object.entries(ours).filter(([name]) => !names.includes(name)));
    const foreign: Record<string, string>[] = [
      without('origin', 'sec-fetch-site'),
      { ...ours, origin: 'https://evil.example' },
      { ...ours, origin: 'null' },
      { ...ours, 'sec-fetch-site': 'cross-site' },
      { ...ours, 'sec-fetch-site': 'same-site' },
      { ...ours, 'sec-fetch-site': 'none' },
      without('x-csrf-token'),
      without('cookie'),
      { ...ours, 'x-csrf-token': 'd'.repeat(43) },
    ];
    const changing = proxiedRoutes(OPERATIONS).filter(
      ({ method, access }) => !['GET', 'HEAD'].includes(method) && access !== 'signed',
    );
    const forms = [
      '/sign-up',
      '/sign-up/confirm',
      '/log-in',
      '/log-out',
      '/keys',
      '/account/delete',
    ];
    const targets = [
      ...changing.map(({ method, path }) => [method, path.replace('{id}', 'x')]),
      ...forms.map((path) => ['POST', path]),
    ];
    for (const [method, path] of targets) {
      for (const headers of foreign) {
        const { status } = await send(method, path, { ...headers, ...json }, '{}');
        expect([method, path, status]).toEqual([method, path, 403]);
      }
    }
    expect(arrived).toEqual([]);
    await send('POST', '/api/log-in', { ...ours, ...json }, ADA);
    expect(arrived.map(({ line }) => line)).toEqual(['POST /internal/dashboard/log-in']);
  });

  it('S30: CORS does not let scripts of other origins read anything', async () => {
    const preflight = { 'access-control-request-method': 'POST' };
    const foreign = { origin: 'https://evil.example' };
    for (const method of ['OPTIONS', 'GET']) {
      const refused = await send(method, '/api/account', { ...preflight, ...foreign });
      expect(refused.headers['access-control-allow-origin']).toBeUndefined();
      const allowed = await send(method, '/api/account', { ...preflight, origin: OWN });
      expect(allowed.headers['access-control-allow-origin']).toBe(OWN);
    }
  });

  it('S25: the session token is in a __Host- cookie that scripts and other sites never get', async () => {
    answer = { status: 200, headers: { 'x-set-session': SESSION }, body: {} };
    const { headers } = await send('POST', '/api/log-in', { ...ours, ...json }, ADA);
    const cookies = headers['set-cookie'] as string[];
    const session = cookies.find((cookie) => cookie.startsWith('__Host-session='));
    expect(session?.split('; ').slice(0, 1)).toEqual([`__Host-session=${SESSION}`]);
    for (const attribute of ['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax']) {
      expect(session).toContain(attribute);
    }
    expect(session).not.toContain('Domain');
    expect(cookies.some((cookie) => cookie.startsWith('__Host-csrf='))).toBe(true);
    expect(headers['x-set-session']).toBeUndefined();
  });

  it('S22: a browser that logged in keeps a device cookie, which the account service receives', async () => {
    const device = 'd'.repeat(64);
    answer = {
      status: 200,
      headers: { 'x-set-session': SESSION, 'x-set-device': device },
      body: {},
    };
    const cookie = `__Host-csrf=${CSRF}; __Host-device=${device}`;
    const { headers } = await send('POST', '/api/log-in', { ...ours, ...json, cookie }, ADA);
    const kept = (headers['set-cookie'] as string[]).find((one) =>
      one.startsWith('__Host-device='),
    );
    expect(kept).toBe(
      `__Host-device=${device}; Max-Age=31536000; Path=/; Secure; HttpOnly; SameSite=Lax`,
    );
    expect(arrived.at(-1)?.headers['x-device-token']).toBe(device);
    expect(headers['x-set-device']).toBeUndefined();
  });

  it('S18: an API key does not work on the dashboard, wherever it is sent', async () => {
    const key = 'dds_live_0123456789abcdefghijABCDEFGHIJ000000';
    const ways: [string, Record<string, string>][] = [
      [`/api/balance?apiKey=${key}`, {}],
      ['/api/balance', { authorization: `Bearer ${key}` }],
      ['/api/balance', { 'x-api-key': key }],
      ['/api/ledger', { cookie: `__Host-session=${key}` }],
    ];
    for (const [path, headers] of ways) {
      const { status, text } = await send('GET', path, headers);
      expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([401, 'not_logged_in']);
    }
    expect(arrived.every(({ headers }) => !headers.authorization?.includes(key))).toBe(true);
    expect(logged.join('')).not.toContain(key);
  });

  it('S31: opening a confirmation link changes nothing; only the button on its page confirms', async () => {
    const opened = await send('GET', '/sign-up/confirm?token=abc');
    expect(opened.status).toBe(200);
    expect(opened.text).toContain('<form method="post" action="/sign-up/confirm">');
    expect(arrived.map(({ line }) => line)).toEqual(['POST /internal/dashboard/links/check']);
    arrived.length = 0;
    await send('POST', '/sign-up/confirm', { ...ours, ...form }, 'token=abc&password=mine');
    expect(arrived.map(({ line, body }) => [line, body])).toEqual([
      ['POST /internal/dashboard/sign-up/confirm', '{"token":"abc","password":"mine"}'],
    ]);
  });

  it('S115: every answer has a strict policy, transport security and isolation', async () => {
    answer = { status: 200, body: { keys: [] } };
    const paths = ['/', '/sign-up', '/keys', '/api/keys', '/no-such-page', '/%zz'];
    for (const path of [...paths, '/assets/dashboard.css']) {
      const { headers } = await send('GET', path);
      const policy = String(headers['content-security-policy']);
      expect([path, policy]).toEqual([path, expect.stringContaining(`default-src 'none'`)]);
      expect(policy).toContain(`require-trusted-types-for 'script'`);
      expect(policy).not.toContain('unsafe');
      expect(headers['strict-transport-security']).toMatch(/max-age=\d{8}/);
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['cache-control']).toContain('no-store');
    }
    const { text } = await send('GET', '/sign-up');
    expect(text).not.toMatch(/<script(?! src)|<style|\sstyle=|\son[a-z]+=/);
  });

  it('the tab icon is served wherever browsers request it', async () => {
    const { text } = await send('GET', '/log-in');
    const [, linked] = /<link rel="icon" href="([^"]+)"/.exec(text)!;
    for (const path of [linked, '/favicon.ico']) {
      const { status, headers } = await send('GET', path);
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'image/svg+xml']);
    }
  });

  it('an error in place of a CSV file is shown as a page, and not saved as the file', async () => {
    session = LOGGED_IN;
    const { status, headers } = await send('GET', '/requests.csv?day=yesterday', ours);
    expect([status, headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    expect(headers).not.toHaveProperty('content-disposition');
  });

  it('S95: an internal error shows a code and a request id, but no details', async () => {
    answer = { status: 500, body: { code: 'internal_error', status: 500, detail: 'Sorry.' } };
    const relayed = await send('POST', '/log-in', { ...ours, ...form }, 'email=a&password=b');
    expect(relayed.text).toContain('Sorry.');
    answer = { status: 200, headers: { 'content-length': '1' }, body: { broken: true } };
    session = LOGGED_IN;
    const broken = await send('GET', '/api/account', ours);
    expect(broken.status).toBe(503);
    expect(JSON.parse(broken.text)).toMatchObject({
      code: 'service_unavailable',
      request_id: expect.any(String),
    });
    expect(broken.text).not.toMatch(/127\.0\.0\.1|undici|Error|stack|\.js/);
  });

  it('S96: forwarded addresses from strangers are ignored, and other host names are not repeated', async () => {
    const spoofed = {
      ...ours,
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
    };
    await send('POST', '/api/log-in', { ...spoofed, ...json }, ADA);
    expect(arrived[0].headers['x-client-address']).toBe('127.0.0.1');
    const elsewhere = await send('GET', '/log-in', { host: 'evil.example' });
    expect([elsewhere.status, elsewhere.headers.location]).toEqual([308, `${OWN}/log-in`]);
    // As a path, a whole URL would extend the host name: dashboard.examplehttp.
    for (const path of [
      'http://evil.example/',
      'http://x@evil.example/',
      'https://evil.example/',
    ]) {
      const { headers } = await send('GET', path, { host: 'evil.example' });
      expect([path, headers.location]).toEqual([path, `${OWN}/`]);
    }
  });

  it('a route that is not in the table does not reach the account service', async () => {
    for (const path of ['/api/erase', '/api/../internal/changes', '/api/keys/x/y/z']) {
      const { status } = await send('POST', path, { ...ours, ...json }, '{}');
      expect([path, status]).toEqual([path, 404]);
    }
    expect(arrived).toEqual([]);
  });

  it('the owner of a suspended account sees the reason', async () => {
    session = { ...LOGGED_IN, suspendedBecause: 'two <b>chargebacks</b>' };
    answer = { status: 200, body: {} };
    const { text } = await send('GET', '/account', { cookie: ours.cookie });
    expect(text).toContain('This account is suspended: two &lt;b&gt;chargebacks&lt;/b&gt;');
  });

  it('a deleted account has one page, which restores it', async () => {
    const restorableUntil = '2026-11-30T00:05:00.000Z';
    session = { ...LOGGED_IN, accountState: 'deleted', restorableUntil };
    const { cookie } = ours;
    const pages = [
      '/account',
      '/keys',
      '/usage',
      '/credits',
      '/invoices',
      '/requests',
      '/jobs',
      '/monitors',
      '/files',
      '/webhooks',
    ];
    for (const path of pages) {
      const { status, headers } = await send('GET', path, { cookie });
      expect([path, status, headers.location]).toEqual([path, 303, '/']);
    }
    const { text } = await send('GET', '/', { cookie });
    expect(text).toContain('Restore the account');
    expect(text).toContain('It can be restored until 2026-11-30 00:05 UTC.');
    expect(text).not.toMatch(/href="\/(keys|credits|account)"/);
    expect(arrived).toEqual([]);
    expect((await send('POST', '/account/restore', { ...ours, ...form })).status).toBe(303);
    expect(arrived.map(({ line }) => line)).toEqual(['POST /internal/dashboard/account/restore']);
  });

  it('S86: without a session, an account page redirects to the log-in and calls no service', async () => {
    const pages = ['/keys', '/account', '/credits', '/credits/orders/1', '/billing/return?order=1'];
    const forms = ['/keys', '/keys/1/rotate', '/account/delete', '/credits', '/reauthenticate'];
    for (const [method, path] of [
      ...pages.map((path) => ['GET', path]),
      ...forms.map((path) => ['POST', path]),
    ]) {
      const headers = method === 'GET' ? { cookie: ours.cookie } : { ...ours, ...form };
      const { status, headers: sent } = await send(method, path, headers);
      const to = method === 'GET' ? `/log-in?to=${encodeURIComponent(path)}` : '/log-in';
      expect([method, path, status, sent.location]).toEqual([method, path, 303, to]);
    }
    expect(arrived).toEqual([]);
  });

  it('S89: a CSRF token that is not text is rejected as a wrong token, without an internal error', async () => {
    const { 'x-csrf-token': _, ...withoutToken } = ours;
    for (const csrf of [5, true, null, {}, [CSRF], { length: 43 }]) {
      const body = JSON.stringify({ csrf });
      const { status } = await send('POST', '/api/log-out', { ...withoutToken, ...json }, body);
      expect([csrf, status]).toEqual([csrf, 403]);
    }
    expect(arrived).toEqual([]);
  });

  it('S89: an idempotency key that no header can carry is rejected by the dashboard, not reported as a failure of the account service', async () => {
    const path = '/keys/0197-a/rotate';
    session = LOGGED_IN;
    for (const key of ['a\r\nx-account-id: b', 'a b', 'é', 'x'.repeat(256), { a: 1 }, ['x'], 5]) {
      const body = JSON.stringify({ idempotency_key: key });
      const { status } = await send('POST', path, { ...ours, ...json }, body);
      expect([key, status]).toEqual([key, 400]);
    }
    expect(arrived).toEqual([]);
  });

  it('S104: at the connection limit, an idle connection is closed, and new requests are still answered', async () => {
    const { port } = new URL(dashboard.dashboardUrl);
    await send('GET', '/health');
    const closed: Promise<unknown>[] = [];
    const sockets = Array.from({ length: CONNECTIONS_MAX + 2 }, () => connect(Number(port)));
    for (const socket of sockets) {
      socket.on('error', () => {});
      closed.push(once(socket, 'close').then(() => socket));
    }
    try {
      const refused = (await Promise.race(closed)) as Socket;
      expect(refused.bytesRead).toBe(0);
      expect((await send('GET', '/health')).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    }
  });
});
