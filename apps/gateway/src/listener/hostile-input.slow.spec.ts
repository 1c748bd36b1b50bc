import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { OPERATIONS } from '#libs/contracts';
import { waitFor } from '#test/environment';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];
const sockets = new Set<Socket>();

beforeAll(async () => {
  under = await GatewayUnderTest.start({
    GATEWAY_CONNECTIONS_MAX: '300',
    GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
  });
  around = under.around;
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await under?.stop();
});

function open(url = under.url): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  sockets.add(socket);
  return socket;
}

/** Sends these bytes. @returns everything that the gateway answers before it closes the connection. */
async function context(
  bytes: string,
  url = under.url,
): Promise<{ status: number; headers: string; body: string }> {
  const socket = open(url);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.write(bytes);
  await once(socket, 'close');
  sockets.delete(socket);
  const [headers, body] = text.split('\r\n\r\n');
  return { status: Number(headers.split(' ')[1]), headers, body };
}

/** Sends requests, given without the end of their headers, on a few connections at a time. @returns their statuses. */
async function answersTo(heads: string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < heads.length; at += AT_A_TIME) {
    const some = heads.slice(at, at + AT_A_TIME);
    const answers = some.map((head) => context(`${head}connection: close\r\n\r\n`));
    statuses.push(...(await Promise.all(answers)).map(({ status }) => status));
  }
  return statuses;
}

const AT_A_TIME = 24;
const live = '/v2.0/whois/live';

describe('malformed requests', () => {
  it.each([
    ['414', `GET ${live}?x=${'a'.repeat(9_000)} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`],
    ['414', `GET ${live}?x=${'a'.repeat(1_000_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['414', `GET /elsewhere?${'a'.repeat(9_000)} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`],
    ['431', `GET ${live} HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['400', 'nonsense\r\n\r\n'],
    ['400', `BREW ${live} HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['400', `GET ${live} HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n`],
    ['400', `GET ${live} HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhello`],
    ['400', `GET ${live} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['413', `GET ${live} HTTP/1.1\r\nhost: a\r\ncontent-length: 300000\r\n\r\n`],
    ['400', `GET ${live} HTTP/1.1\r\n\r\n`],
    ['400', `GET ${live} HTTP/1.1\r\nhost:\r\n\r\n`],
    ['400', `GET ${live} HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n`],
    ['400', `GET ${live} HTTP/1.1\r\nhost: a\r\nhost: a\r\nte: trailers\r\n\r\n`],
    ['400', `GET ${live} HTTP/1.1\r\nhost: user@a\r\n\r\n`],
    ['400', `GET ${live} HTTP/1.1\r\nhost: a b\r\n\r\n`],
    ['400', `GET ${live} HTTP/1.1\r\nhost: a:port\r\n\r\n`],
    ['400', `GET /health HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n`],
    ['405', 'CONNECT example.com:443 HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['405', `TRACE ${live} HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['417', `GET ${live} HTTP/1.1\r\nhost: a\r\nexpect: tea\r\nconnection: close\r\n\r\n`],
  ])(
    'S95: %s as a problem document that reveals nothing about the software',
    async (status, bytes) => {
      const answer = await context(bytes);
      expect(answer.status).toBe(Number(status));
      expect(answer.headers.toLowerCase()).toContain('content-type: application/problem+json');
      expect(answer.headers.toLowerCase()).toContain('cache-control: private, no-store');
      const body = JSON.parse(answer.body) as Record<string, unknown>;
      expect(body).toMatchObject({ status: Number(status), credits_charged: 0 });
      expect(body.request_id).toMatch(/^req_/);
      expect(answer.headers + answer.body).not.toMatch(/node|fastify|HPE_|ERR_|\.js/i);
    },
  );

  it('a non-ASCII name in the URL is rejected, and the answer gives the correct spelling', async () => {
    const target = `${live}?domainName=bücher.example`;
    const answer = await context(`GET ${target} HTTP/1.1\r\nhost: a\r\n\r\n`);
    expect(answer.status).toBe(400);
    const { code, detail } = JSON.parse(answer.body) as Record<string, string>;
    expect(code).toBe('malformed_request');
    expect(detail).toMatch(/outside ASCII must be percent-encoded.*xn--/);
    const other = await context('nonsense\r\n\r\n');
    expect(other.body).not.toContain('ASCII');
  });

  it('S104: a request that arrives too slowly gets 408 and its socket is closed, while other requests are served', async () => {
    const { apiKey } = around.account.addKey();
    const { apiUrl } = await around.startGateway({
      GATEWAY_HEADERS_TIMEOUT_MS: '300',
      GATEWAY_JOURNAL: `${around.folder}/dripping`,
    });
    const dripping = context(`GET ${live} HTTP/1.1\r\nhost: a\r\nx-slow: `, apiUrl);
    // On a busy machine, a client may be too slow and then tries again.
    await waitFor('another to be served', async () => {
      const asked = await request(`${apiUrl}${live}?domainName=a.example`, {
        headers: { 'x-api-key': apiKey },
      }).catch(() => undefined);
      await asked?.body.dump();
      return asked?.statusCode === 200;
    });
    expect((await dripping).status).toBe(408);
  });

  it('S104: a JSON body that arrives too slowly gets 408, and its socket is closed', async () => {
    const { apiKey } = around.account.addKey({ scopes: ['whois', 'bulk'] });
    const { apiUrl } = await around.startGateway({
      GATEWAY_HEADERS_TIMEOUT_MS: '300',
      GATEWAY_JOURNAL: `${around.folder}/dripping-body`,
    });
    const socket = open(apiUrl);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(
      `POST /v2.0/bulkwhois/live HTTP/1.1\r\nhost: a\r\nx-api-key: ${apiKey}\r\n` +
        'content-type: application/json\r\ncontent-length: 2000\r\n\r\n{"domainNames":["',
    );
    const drip = setInterval(() => socket.writable && socket.write('a'), 20);
    await once(socket, 'close');
    clearInterval(drip);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toMatch(/"code":"request_timeout"/);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it.each([
    ['our parser', ''],
    ['Node’s parser', 'te: trailers\r\n'],
  ])(
    'S104: headers without end, read by %s, are refused after a few kilobytes',
    async (_, line) => {
      const socket = open();
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.write(`GET ${live} HTTP/1.1\r\nhost: a\r\n${line}`);
      const flood = () => {
        if (socket.writable) socket.write(`x-long: ${'a'.repeat(8_000)}\r\n`, flood);
      };
      flood();
      await once(socket, 'close');
      expect(text).toMatch(/^HTTP\/1\.1 431 /);
      expect(text).toContain('"code":"headers_too_large"');
      // More than this fits into the buffers of the operating system.
      expect(socket.bytesWritten).toBeLessThan(16 * 1024 ** 2);
    },
  );

  it('S104: HTTP/2 is left to the ingress; here, its first bytes are an invalid request', async () => {
    const { status } = await context('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect([400, 405, 505]).toContain(status);
  });

  it('S104: idle sockets beyond the limit are closed, and requests are answered again once the other sockets are closed', async () => {
    const { apiKey } = around.account.addKey();
    const { statusCode: before, body: first } = await request(
      `${under.url}${live}?domainName=b.example`,
      { headers: { 'x-api-key': apiKey } },
    );
    await first.dump();
    const idle = Array.from({ length: 400 }, () => open());
    await waitFor('the limit', () => idle.filter((socket) => socket.closed).length >= 100);
    expect(idle.filter((socket) => !socket.closed).length).toBeLessThanOrEqual(300);
    for (const socket of idle) socket.destroy();
    await waitFor('room again', async () => {
      try {
        const { statusCode, body } = await request(`${under.url}/health`);
        await body.dump();
        return statusCode === 200;
      } catch {
        return false;
      }
    });
    expect(before).toBe(200);
  });
});

describe('addresses of requests and clients', () => {
  /** Returns 216 paths that are equivalent to the given path or easily mistaken for it. */
  function variants(path: string): string[] {
    const starts = ['/', '//', '/./', '/x/../', '/%2e/', '\\'];
    const [, version, first] = /^\/([^/]+)\/([^/])/.exec(path)!;
    const rest = path.slice(version.length + 3);
    const code = first.charCodeAt(0).toString(16);
    const middles = [
      `${version}/${first}${rest}`,
      `${version.toUpperCase()}/${first}${rest}`,
      `${version}//${first}${rest}`,
      `${version}/%${code}${rest}`,
    ];
    const ends = ['', '/', '//', '/.', ';x=1', '%00', '%20', '.json', '#x'];
    return starts.flatMap((start) =>
      middles.flatMap((middle) => ends.map((end) => start + middle + end)),
    );
  }

  const protectedPaths = new Set(
    OPERATIONS.filter(({ access }) => access.kind === 'key').flatMap(({ routes }) =>
      routes.map(({ path }) => path.replace(/\{\w+\}/g, 'a')),
    ),
  );

  it.each([...protectedPaths])(
    'S97: no spelling of %s reaches its owner without a key',
    async (path) => {
      const asked = around.lookup.questions.length;
      const ways = variants(path);
      expect(new Set(ways).size).toBeGreaterThanOrEqual(200);
      const statuses = await answersTo(
        ways.map((way) => `GET ${way}?domainName=a.example HTTP/1.1\r\nhost: a\r\n`),
      );
      const known = new Set([400, 401, 404, 405]);
      expect(ways.filter((_, at) => !known.has(statuses[at]))).toEqual([]);
      expect(around.lookup.questions).toHaveLength(asked);
    },
  );

  it('S96: X-Forwarded-For is used only from trusted proxies, and is read from the right', async () => {
    const { apiKey } = around.account.addKey({ allowedAddresses: ['192.0.2.7'] });
    const statusBehind = async (forwarded: string | string[]) => {
      const { statusCode, body } = await request(`${under.url}${live}?domainName=a.example`, {
        headers: { 'x-api-key': apiKey, 'x-forwarded-for': forwarded },
      });
      await body.dump();
      return statusCode;
    };
    expect(await statusBehind('192.0.2.7')).toBe(200);
    expect(await statusBehind('203.0.113.1, 192.0.2.7')).toBe(200);
    expect(await statusBehind('192.0.2.7, 203.0.113.1')).toBe(403);
    expect(await statusBehind('192.0.2.7, garbage')).toBe(403);
    expect(await statusBehind('192.0.2.7,')).toBe(403);
    expect(await statusBehind('203.0.113.1 ,\t192.0.2.7\t, 127.0.0.1 ')).toBe(200);
    expect(await statusBehind(['203.0.113.1', '192.0.2.7'])).toBe(200);
    expect(await statusBehind(['192.0.2.7', '203.0.113.1'])).toBe(403);
    expect(await statusBehind(['192.0.2.7', ''])).toBe(403);
  });

  it('S30: any origin may send requests, without the browser’s credentials', async () => {
    const { statusCode, headers, body } = await request(under.url + live, {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'GET' },
    });
    await body.dump();
    expect(statusCode).toBe(204);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    expect(headers['access-control-allow-headers']).toContain('x-api-key');
  });

  it('S18: a cookie has no effect', async () => {
    const { statusCode, body } = await request(`${under.url}${live}?domainName=a.example`, {
      headers: { cookie: '__Host-session=anything' },
    });
    await body.dump();
    expect(statusCode).toBe(401);
  });
});

describe('overload and shutdown', () => {
  it('a gateway at its limit of running requests answers 503 at once', async () => {
    const small = await around.startGateway({
      GATEWAY_IN_FLIGHT_MAX: '1',
      GATEWAY_JOURNAL: `${around.folder}/small`,
    });
    const { apiKey } = around.account.addKey();
    const first = around.lookup.holdAnswers();
    const asked = around.lookup.questions.length;
    const url = `${small.apiUrl}${live}?domainName=a.example&apiKey=${apiKey}`;
    const pending = request(url);
    await waitFor(
      'the first request to be running',
      () => around.lookup.questions.length === asked + 1,
    );
    const { statusCode, headers, body } = await request(url);
    const problem = (await body.json()) as { code: string };
    expect([statusCode, problem.code]).toEqual([503, 'service_overloaded']);
    expect(headers['retry-after']).toBe('1');
    first.release();
    expect((await pending).statusCode).toBe(200);
    await around.stopGateway(small);
  });

  it('a shutdown finishes running requests, and asks clients to reconnect elsewhere', async () => {
    const stopping = await around.startGateway({
      GATEWAY_DRAIN_MS: '60000',
      GATEWAY_JOURNAL: `${around.folder}/stopping`,
    });
    const { apiKey, keyRecord } = around.account.addKey();
    const first = around.lookup.holdAnswers();
    const asked = around.lookup.questions.length;
    const pending = request(`${stopping.apiUrl}${live}?domainName=a.example&apiKey=${apiKey}`);
    await waitFor('the request to be running', () => around.lookup.questions.length === asked + 1);
    const stopped = around.stopGateway(stopping);
    await waitFor('the listener to close', async () => {
      const probe = connect(Number(new URL(stopping.apiUrl).port), '127.0.0.1');
      const [outcome] = await Promise.race([
        once(probe, 'connect').then(() => ['open']),
        once(probe, 'error').then(() => ['closed']),
      ]).catch(() => ['closed']);
      probe.destroy();
      return outcome === 'closed';
    });
    first.release();
    expect((await pending).statusCode).toBe(200);
    await stopped;
    expect(around.entitlement.charged(keyRecord.accountId)).toBe(1);
    expect(around.entitlement.openLeases(keyRecord.accountId)).toBe(0);
  });
});
