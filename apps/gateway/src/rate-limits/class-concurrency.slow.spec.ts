import type { ServerResponse } from 'node:http';
import { type Socket, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { waitFor } from '#test/environment';
import {
  GatewayUnderTest,
  expectProblem,
  live,
} from '../../../../test/gateway/gateway-under-test.js';

const SCOPES: ('whois' | 'bulk')[] = ['whois', 'bulk'];
/**
 * Maximum number of running bulk requests: in total, of the only active account, and of one of several active accounts.
 */
const BULK_MAX = 200;
const BULK_ALONE_MAX = BULK_MAX / 2;
const BULK_SHARE = BULK_MAX / 4;
const LIVE = 100;

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];

beforeAll(async () => {
  under = await GatewayUnderTest.start();
  around = under.around;
  around.entitlement.bulkLimit = 1_000;
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

async function bulk(apiKey: string, url = under.url) {
  const answer = await request(`${url}/v2.0/bulkwhois/live`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: '{"domainNames":["a.example"]}',
  });
  const json = (await answer.body.json()) as Record<string, unknown>;
  return { status: answer.statusCode, headers: answer.headers, json, text: '' };
}

function holdBulk(): ServerResponse[] {
  const held: ServerResponse[] = [];
  around.lookup.respond = (asked, response) => {
    if (asked.url!.includes('/whois/bulk')) held.push(response);
    else deliver(response);
  };
  return held;
}

function deliver(response: ServerResponse): void {
  response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live').end('{}');
}

describe('long-running requests', () => {
  it('S102: the number of running bulk requests is limited, so that every concurrent live request is served', async () => {
    const keys = Array.from(
      { length: BULK_MAX / BULK_SHARE },
      () => around.account.addKey({ scopes: SCOPES }).apiKey,
    );
    const [apiKey] = keys;
    const held = holdBulk();
    const slow = keys.flatMap((key) => Array.from({ length: BULK_SHARE }, () => bulk(key)));
    await waitFor('all requests to reach lookup', () => held.length === BULK_MAX);
    const other = around.account.addKey({ scopes: SCOPES }).apiKey;
    expectProblem(await bulk(other), 503, 'class_busy');
    const names = Array.from({ length: LIVE }, (_, at) => `&domainName=name${at}.example`);
    const served = await Promise.all(names.map((name) => under.ask(live(apiKey, name))));
    expect(new Set(served.map(({ status }) => status))).toEqual(new Set([200]));
    expect(held).toHaveLength(BULK_MAX);
    held.forEach(deliver);
    const ended = await Promise.all(slow);
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set([200]));
    around.lookup.respond = undefined;
    expect((await bulk(apiKey)).status).toBe(200);
  });

  it('S102: one account’s bulk requests leave room for those of other accounts, however many it sends', async () => {
    const [greedy, modest] = [1, 2].map(() => around.account.addKey({ scopes: SCOPES }));
    const held = holdBulk();
    const alone = Array.from({ length: BULK_ALONE_MAX }, () => bulk(greedy.apiKey));
    await waitFor('those of the first account', () => held.length === BULK_ALONE_MAX);
    const refused = await bulk(greedy.apiKey);
    expectProblem(refused, 503, 'class_busy');
    expect(refused.headers['retry-after']).toBe('1');
    const beside = Array.from({ length: BULK_SHARE }, () => bulk(modest.apiKey));
    await waitFor('those of the other account', () => held.length === BULK_ALONE_MAX + BULK_SHARE);
    expectProblem(await bulk(modest.apiKey), 503, 'class_busy');
    held.forEach(deliver);
    await Promise.all([...alone, ...beside]);
    around.lookup.respond = undefined;
    const after = await Promise.all([greedy, modest].map(({ apiKey }) => bulk(apiKey)));
    expect(after.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('S102: bulk requests end in 504 and free their slots if their owner does not answer in time', async () => {
    const { apiKey } = around.account.addKey({ scopes: SCOPES });
    around.lookup.respond = () => {};
    const { apiUrl } = await around.startGateway({
      GATEWAY_LOOKUP_TIMEOUT_MS: '300',
      GATEWAY_JOURNAL: `${around.folder}/impatient`,
    });
    const ended = await Promise.all(
      Array.from({ length: BULK_ALONE_MAX + 1 }, () => bulk(apiKey, apiUrl)),
    );
    const codes = ended.map(({ json }) => json.code);
    expect(codes.filter((code) => code === 'answer_timeout').length).toBeGreaterThanOrEqual(
      BULK_ALONE_MAX,
    );
    around.lookup.respond = undefined;
    // On a busy machine, one more answer may be late.
    await waitFor('room', async () => (await bulk(apiKey, apiUrl)).status === 200);
  });
});

describe('bodies that arrive slowly', () => {
  const ARRIVING_MAX = 200;
  const HEAD =
    'POST /v2.0/bulkwhois/live HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
  const sockets: Socket[] = [];
  afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

  /** Sends all but the end of a body. @returns everything that is answered. */
  function drip(apiKey: string) {
    const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
    sockets.push(socket);
    const answer = { text: '' };
    socket.on('data', (chunk: Buffer) => (answer.text += chunk.toString()));
    socket.on('error', () => {});
    socket.write(
      `${HEAD}x-api-key: ${apiKey}\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n{`,
    );
    return answer;
  }

  it('S102: bodies that arrive slowly occupy no slot of their class, and make room for the bodies of others', async () => {
    const [greedy, other, modest] = [1, 2, 3].map(
      () => around.account.addKey({ scopes: SCOPES }).apiKey,
    );
    const first = drip(other);
    const arrives = (answer: { text: string }) => answer.text.includes(' 100 Continue');
    await waitFor('one body of another account', () => arrives(first));
    const slow = Array.from({ length: ARRIVING_MAX - 1 }, () => drip(greedy));
    await waitFor('the other bodies', () => slow.every(arrives));
    const refused = () => slow.filter(({ text }) => text.includes(' 408 '));
    expect(refused()).toEqual([]);
    expect((await bulk(modest)).status).toBe(200);
    await waitFor('one body to make room', () => refused().length === 1);
    expect(first.text).not.toContain(' 408 ');
  });
});
