import crypto from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { generateApiKey } from '#libs/contracts';
import { parseDomainName } from '#libs/domain-names';
import { waitFor } from '#test/environment';
import {
  deliveredAnswer,
  nameIn,
  problemAnswer,
} from '../../../../test/stand-ins/lookup-stand-in.js';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];

beforeAll(async () => {
  under = await GatewayUnderTest.start({ GATEWAY_TRUSTED_PROXIES: '127.0.0.1' });
  around = under.around;
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

const ask = (apiKey: string, domainName: string) =>
  under.ask(`/v2.0/whois/live?${new URLSearchParams({ domainName }).toString()}`, {
    'x-api-key': apiKey,
  });

describe('hostile requests from a customer', () => {
  it('S99: a test key gets no real answer for free, however the name is spelled', async () => {
    const { apiKey } = around.account.addKey({ environment: 'test' });
    const scheme = `${'a'.repeat(32)}.example.com`;
    const names = [
      'example.com',
      'https://example.com/registered.test',
      'https://example.com\\registered.test',
      'https://example.com\\.test',
      '//example.com\\@registered.test',
      `${scheme}://registered.test`,
      `${scheme}:80//registered.test`,
      'https://registered.test@example.com',
      'https://registered.test:pass@example.com',
      'example.com:443?.test',
      'example.com#.test',
      'unlisted.test',
      'registered.test.unlisted.test',
    ];
    for (const name of names) {
      const { status } = await ask(apiKey, name);
      expect([name, status]).toEqual([name, 422]);
    }
    expect(around.lookup.questions).toEqual([]);
    for (const name of ['registered.test', 'https://Registered.TEST/x', 'www.registered。test']) {
      expect([name, (await ask(apiKey, name)).status]).toEqual([name, 200]);
      expect(parseDomainName(name)).toMatchObject({ domain: { tld: 'test' } });
    }
  });

  it.each([
    ['ip-whois?ip=192.0.2.1', 200],
    ['ip-whois?ip=192.0.2.77', 422],
    // This range begins in a block for documentation and ends in an allocated block.
    ['ip-whois?ip=198.51.100.0/23', 422],
    ['asn-whois?asn=64496', 200],
    ['asn-whois?asn=64500', 422],
  ])(
    'S99: a test key gets only fixtures among addresses and AS numbers: %s',
    async (path, status) => {
      const { apiKey } = around.account.addKey({ environment: 'test', scopes: ['ip', 'asn'] });
      around.lookup.answer = () => deliveredAnswer('whatever');
      expect((await under.ask(`/v2.0/${path}&apiKey=${apiKey}`)).status).toBe(status);
    },
  );

  it.each([
    ['registered', 200],
    ['Registered.TEST', 200],
    // The operation ignores the suffix of the name itself.
    ['available.example', 200],
    ['unlisted', 422],
    ['unlisted.registered', 422],
    ['unlisted.test', 422],
  ])(
    'S99: a test key gets only fixtures among suffixes of a name: %s',
    async (domainName, status) => {
      const { apiKey } = around.account.addKey({ environment: 'test', scopes: ['availability'] });
      around.lookup.answer = () => deliveredAnswer('whatever');
      const body = (tld: string[]) => ({ method: 'POST', body: JSON.stringify({ tld }) }) as const;
      const post = async (tld: string[]) => {
        const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
        const path = `${under.url}/v2.0/domain/availability?domainName=${domainName}`;
        return (await fetch(path, { headers, ...body(tld) })).status;
      };
      expect(await post(['test', '.test'])).toBe(status);
      expect(await post(['test', 'example'])).toBe(422);
    },
  );

  it('S8: a key that was pasted as the name reaches neither lookup nor the request log', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    around.lookup.answer = () => problemAnswer(400, 'invalid_domain_name', 'invalid');
    for (const name of [apiKey, `https://x.example/?apiKey=${apiKey}`, apiKey.toUpperCase()]) {
      expect((await ask(apiKey, name)).status).toBe(400);
    }
    const rows = await under.logRows(keyRecord.accountId, 3);
    const sinks = [JSON.stringify(rows), JSON.stringify(around.lookup.questions), around.logged];
    const secret = apiKey.slice(9).toLowerCase();
    for (const sink of sinks) expect(sink.toLowerCase()).not.toContain(secret);
  });

  it('S8: a key that was pasted as a keyword or into a body does not reach the request log', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: ['availability', 'typos'] });
    around.lookup.answer = () => problemAnswer(400, 'invalid_domain_name', 'invalid');
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    await under.ask(`/v2.0/domain/typos?keyword=${apiKey}`, headers);
    const body = JSON.stringify({ domainNames: [apiKey, 'a.example'] });
    await fetch(`${under.url}/v2.0/domain/availability`, { method: 'POST', headers, body });
    const rows = await under.logRows(keyRecord.accountId, 2);
    const subjects = rows.map(({ subject }) => subject).toSorted();
    expect(subjects).toEqual(['dds_live_***', 'dds_live_***, a.example']);
  });
});

describe('a client that pipelines requests', () => {
  it('S104: answered requests are released from memory, however long the connection lasts', async () => {
    const { apiKey } = around.account.addKey();
    const socket = connect(Number(new URL(under.url).port), '127.0.0.1').resume();
    const seen: WeakRef<object>[] = [];
    const see = (message: unknown) => {
      const { request: taken } = message as { request: IncomingMessage };
      if (taken.headers['x-seen'] !== undefined) seen.push(new WeakRef(taken));
    };
    subscribe('http.server.request.start', see);
    let earlier: { release: () => void } | undefined;
    for (let count = 1; count <= 40; count++) {
      const held = around.lookup.holdAnswers();
      socket.write(
        // With `te`, Node handles the connection, and starts each request before the previous one is answered.
        `GET /v2.0/whois/live?domainName=a${count}.example HTTP/1.1\r\nhost: a\r\nte: trailers\r\nx-seen: 1\r\nx-api-key: ${apiKey}\r\n\r\n`,
      );
      await waitFor('the question', () => around.lookup.questions.length === count);
      // At any time, at least one request is running.
      earlier?.release();
      earlier = held;
    }
    await waitFor('the others to be released', () => {
      collect();
      return seen.filter((request) => request.deref() !== undefined).length < 10;
    });
    unsubscribe('http.server.request.start', see);
    earlier?.release();
    socket.destroy();
  });
});

describe('invalid keys', () => {
  const statusFrom = async (address: string, apiKey: string) => {
    const headers = { 'x-api-key': apiKey, 'x-forwarded-for': address };
    return (await under.ask('/v2.0/whois/live?domainName=a.example', headers)).status;
  };

  it('S17: a concurrent flood of unknown keys is stopped, and neighbouring addresses are not affected', async () => {
    const before = around.account.keyQueries;
    const one = () =>
      `GET /v2.0/whois/live HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 192.0.2.9\r\nx-api-key: ${under.strangersKey()}\r\n\r\n`;
    const sockets = Array.from({ length: 10 }, () =>
      connect(Number(new URL(under.url).port), '127.0.0.1'),
    );
    let text = '';
    for (const socket of sockets) {
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      socket.write(Array.from({ length: 40 }, one).join(''));
    }
    const statuses = await waitFor('all answers', () => {
      const found = text.match(/HTTP\/1\.1 \d{3}/g) ?? [];
      return found.length === 400 ? found : undefined;
    });
    for (const socket of sockets) socket.destroy();
    expect(around.account.keyQueries - before).toBeLessThanOrEqual(100);
    expect(statuses.filter((status) => status.endsWith('429')).length).toBeGreaterThanOrEqual(300);
    const { apiKey } = around.account.addKey();
    expect(await statusFrom('192.0.2.10', apiKey)).toBe(200);
  });

  it('S17: of 10,000 unknown keys from one address, at most a hundred are hashed and looked up', async () => {
    const pepper = around.environment().KEY_PEPPER;
    const hashed = jest.spyOn(crypto, 'createHmac');
    syncBuiltinESMExports();
    const hashes = () => hashed.mock.calls.filter(([, key]) => key === pepper).length;
    const { apiKey } = around.account.addKey();
    expect(await statusFrom('192.0.2.12', apiKey)).toBe(200);
    const before = { hashes: hashes(), queries: around.account.keyQueries };
    expect(before.hashes).toBeGreaterThan(0);
    const unknown = () =>
      `GET /v2.0/whois/live HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 192.0.2.12\r\nx-api-key: ${generateApiKey('live')}\r\n`;
    const statuses = new Map<string, number>();
    for (let sent = 0; sent < 10_000; sent += 500) {
      const answers = Array.from({ length: 20 }, async () => {
        const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
        const requests = Array.from({ length: 25 }, unknown);
        socket.write(`${requests.join('\r\n')}connection: close\r\n\r\n`);
        return Buffer.concat(await socket.toArray()).toString('latin1');
      });
      const text = (await Promise.all(answers)).join('');
      for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
    const counted = hashes() - before.hashes;
    hashed.mockRestore();
    syncBuiltinESMExports();
    expect([...statuses.keys()].sort()).toEqual(['401', '429']);
    expect(statuses.get('401')! + statuses.get('429')!).toBe(10_000);
    expect(counted).toBeLessThanOrEqual(100);
    expect(around.account.keyQueries - before.queries).toBe(counted);
    expect(await statusFrom('192.0.2.12', apiKey)).toBe(200);
  });

  it('S17: the entry for an address does not keep its requests in memory', async () => {
    // Records failures from 12,000 requests of 16 kB each, in memory that could hold half of them.
    const source = `
      import { parentPort } from 'node:worker_threads';
      import { FailedKeys } from '${new URL('../auth-cache/failed-keys.js', import.meta.url).href}';
      const failedKeys = new FailedKeys(60);
      const addressOf = (count) => '203.0.' + (100 + Math.floor(count / 100)) + '.' + (100 + (count % 100));
      for (let count = 0; count < 12000; count++) {
        const headers = Buffer.from('x'.repeat(16000) + addressOf(count), 'latin1').toString('latin1');
        failedKeys.note(headers.slice(16000), 0);
      }
      parentPort.postMessage(failedKeys.waitSeconds(addressOf(0), 0));`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
      resourceLimits: { maxOldGenerationSizeMb: 96 },
    });
    const waitSeconds = await new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
    expect(waitSeconds).toBe(0);
  });

  it('S17: concurrent requests with one valid key cause one call', async () => {
    const { apiKey } = around.account.addKey();
    const before = around.account.keyQueries;
    const asked = Array.from({ length: 70 }, () => statusFrom('192.0.2.11', apiKey));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
    expect(around.account.keyQueries - before).toBe(1);
  });

  it('S17: a network that uses another /64 for each request is stopped, but a neighbouring network is not', async () => {
    const before = around.account.keyQueries;
    const statuses = [];
    for (let network = 0; network < 400; network++) {
      const address = `2001:db8:7:${network.toString(16)}::1`;
      statuses.push(await statusFrom(address, under.strangersKey()));
    }
    expect(around.account.keyQueries - before).toBeLessThanOrEqual(300);
    expect(statuses.at(-1)).toBe(429);
    expect(await statusFrom('2001:db8:8::1', under.strangersKey())).toBe(401);
  });
});

describe('hostile answers from lookup', () => {
  it.each([
    ['text that contains a line end', '1\r\nset-cookie: a=b'],
    ['an object', { seconds: 1 }],
    ['a negative number', -1],
    ['a fraction', 1.5],
  ])(
    'S95: a wait that is %s is not passed on, and the gateway continues to work',
    async (_what, wait) => {
      const { apiKey } = around.account.addKey();
      const refusal = problemAnswer(503, 'upstream_throttled', 'throttled');
      const body = { ...(JSON.parse(refusal.body) as object), retry_after: wait };
      around.lookup.answer = () => ({ ...refusal, body: JSON.stringify(body) });
      const { status, headers } = await ask(apiKey, 'a.example');
      expect(status).toBe(503);
      expect(headers).not.toHaveProperty('set-cookie');
      expect(headers['retry-after'] ?? '1').toMatch(/^\d+$/);
      around.lookup.answer = (asked) => deliveredAnswer(nameIn(asked));
      expect((await ask(apiKey, 'b.example')).status).toBe(200);
    },
  );
});
