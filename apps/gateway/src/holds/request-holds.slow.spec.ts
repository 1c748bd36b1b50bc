import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { request } from 'undici';
import {
  AVAILABILITY,
  AVAILABILITY_BULK,
  CHARGED_ITEMS_HEADER,
  WHOIS_BULK,
  WHOIS_LIVE,
  streamedLine,
} from '#libs/contracts';
import { waitFor } from '#test/environment';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';

const PATH = '/v2.0/bulkwhois/live';
const BALANCE = 1_000;

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];

beforeAll(async () => {
  under = await GatewayUnderTest.start({}, [
    AVAILABILITY,
    AVAILABILITY_BULK,
    WHOIS_BULK,
    WHOIS_LIVE,
  ]);
  around = under.around;
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

interface Answer {
  code?: string;
  credits_required?: number;
  meta?: { credits_charged: number; credits_remaining: number };
}

async function post(apiKey: string, names: number, query = '', accept = 'application/json') {
  const domainNames = Array.from({ length: names }, (_, at) => `name${at}.example`);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', accept };
  const body = JSON.stringify({ domainNames });
  const answer = await request(under.url + PATH + query, { method: 'POST', headers, body });
  return answer;
}

async function ask(apiKey: string, names: number, query = '') {
  const { statusCode, body } = await post(apiKey, names, query);
  return { status: statusCode, json: (await body.json()) as Answer };
}

function answering(charged: number): void {
  around.lookup.respond = (_asked, response) => {
    response.setHeader(CHARGED_ITEMS_HEADER, String(charged));
    response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live');
    response.end('{"status":true}');
  };
}

const isSettled = (accountId: string, credits: number) =>
  waitFor('the hold to be settled', () => {
    const { entitlement } = around;
    const isClosed = entitlement.openHolds(accountId) === 0;
    return isClosed && entitlement.available(accountId) === BALANCE - credits;
  });

it('the maximum cost is held before the lookup, and only answered items are charged', async () => {
  const { apiKey, keyRecord } = around.account.addKey({ scopes: ['bulk'] });
  let heldMeanwhile = 0;
  answering(60);
  const { respond } = around.lookup;
  around.lookup.respond = (...asked) => {
    heldMeanwhile = BALANCE - around.entitlement.available(keyRecord.accountId);
    respond!(...asked);
  };
  const { status, json } = await ask(apiKey, 100);
  expect(status).toBe(200);
  expect(json.meta).toMatchObject({ credits_charged: 60, credits_remaining: BALANCE - 60 });
  expect(heldMeanwhile).toBe(100);
  await isSettled(keyRecord.accountId, 60);
  expect(around.entitlement.charged(keyRecord.accountId)).toBe(60);
  expect(around.entitlement.openLeases(keyRecord.accountId)).toBe(0);
});

it('the price is deducted from the visible balance at once and only once, whenever the report reaches entitlement', async () => {
  const { apiKey, keyRecord } = around.account.addKey({ scopes: ['bulk', 'whois'] });
  const single = async (name: string) => {
    const { headers } = await under.ask(`/v2.0/whois/live?domainName=${name}.example`, {
      'x-api-key': apiKey,
    });
    return Number(headers['x-credits-remaining']);
  };
  expect(await single('before')).toBe(BALANCE - 1);
  answering(60);
  const { respond } = around.lookup;
  around.lookup.respond = (...asked) => {
    around.entitlement.isDown = true;
    respond!(...asked);
  };
  const { json } = await ask(apiKey, 100);
  expect(json.meta).toMatchObject({ credits_remaining: BALANCE - 61 });
  around.lookup.respond = undefined;
  expect(await single('meanwhile')).toBe(BALANCE - 62);
  around.entitlement.isDown = false;
  const { accountId } = keyRecord;
  await waitFor('the hold to be settled', () => around.entitlement.openHolds(accountId) === 0);
  expect(await single('after')).toBe(BALANCE - 63);
  await waitFor('a settlement', () => around.entitlement.balance(accountId) === BALANCE - 63);
  expect(await single('later')).toBe(BALANCE - 64);
});

it('suggestions requested again within a minute are charged again, because they may differ', async () => {
  const { apiKey, keyRecord } = around.account.addKey({ scopes: ['availability'] });
  const cost = async (query: string) => {
    const path = `/v2.0/domain/availability?domainName=example.com${query}`;
    const { headers } = await under.ask(path, { 'x-api-key': apiKey });
    return headers['x-credits-cost'];
  };
  // The first request reaches its time limit before any suggestion is found.
  answering(1);
  expect(await cost('&sug=true&count=20')).toBe('1');
  answering(21);
  expect(await cost('&sug=true&count=20')).toBe('21');
  // A repeated lookup of one name is free, as usual.
  answering(1);
  expect([await cost(''), await cost('')]).toEqual(['1', '0']);
  const repeats = around.lookup.questions.map(({ headers }) => headers['x-repeat']);
  expect(repeats).toEqual([undefined, undefined, undefined, '1']);
  const charged = () => around.entitlement.charged(keyRecord.accountId);
  await waitFor('the settlement', () => charged() === 23);
});

it('a name is charged although another name was checked with the same query and one suffix in the body', async () => {
  const { apiKey } = around.account.addKey({ scopes: ['availability'] });
  const url = `${under.url}/v2.0/domain/availability?domainName=example.com`;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  answering(1);
  const posted = await request(url, { method: 'POST', headers, body: '{"tld":["net"]}' });
  await posted.body.dump();
  const { headers: told, body } = await request(url, { headers: { 'x-api-key': apiKey } });
  await body.dump();
  expect([posted.headers['x-credits-cost'], told['x-credits-cost']]).toEqual(['1', '1']);
});

it('402: a request that costs more than the balance or max_credits holds nothing and is not forwarded', async () => {
  const { apiKey, keyRecord } = around.account.addKey({ scopes: ['bulk'] });
  around.entitlement.balances.set(keyRecord.accountId, 99);
  expect(await ask(apiKey, 100)).toMatchObject({
    status: 402,
    json: {
      code: 'insufficient_credits',
      credits_required: 100,
      detail:
        'This request may cost up to 100 credits, which is more than you have left. Credits reserved for your running jobs and bulk requests do not count.',
    },
  });
  expect(await ask(apiKey, 100, '?max_credits=99')).toMatchObject({
    status: 402,
    json: { code: 'price_above_max', credits_required: 100 },
  });
  expect(around.entitlement.available(keyRecord.accountId)).toBe(99);
  expect(around.lookup.questions).toEqual([]);
});

it('503: a request that needs credits held by other requests is asked to wait, and reserves nothing', async () => {
  const { apiKey, keyRecord } = around.account.addKey({ scopes: ['bulk'] });
  around.entitlement.isElsewhere = true;
  expect(await ask(apiKey, 2)).toMatchObject({ status: 503, json: { code: 'credits_busy' } });
  expect(around.lookup.questions).toEqual([]);
  expect(around.entitlement.available(keyRecord.accountId)).toBe(BALANCE);
});

it('503: a hold that entitlement did not acknowledge is closed as soon as entitlement answers again', async () => {
  const { apiKey, keyRecord } = around.account.addKey({ scopes: ['bulk'] });
  answering(0);
  // This request caches the account's allowance.
  expect((await ask(apiKey, 2)).status).toBe(200);
  await isSettled(keyRecord.accountId, 0);
  around.entitlement.isDown = true;
  expect(await ask(apiKey, 2)).toMatchObject({ status: 503 });
  around.entitlement.isDown = false;
  const closes = () => around.entitlement.calls.filter((call) => call.endsWith('/holds/close'));
  const before = closes().length;
  await waitFor('it to be closed', () => closes().length > before);
  expect(around.entitlement.available(keyRecord.accountId)).toBe(BALANCE);
});

it('a running stream is charged once, even if its first report is lost', async () => {
  const { apiKey, keyRecord } = around.account.addKey({ scopes: ['bulk'] });
  const { accountId } = keyRecord;
  let stream: ServerResponse | undefined;
  around.lookup.respond = (_asked, response) => {
    stream = response;
    response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live');
    for (const index of [0, 1]) response.write(streamedLine('charged', `{"index":${index}}`));
  };
  const answer = await post(apiKey, 4, '', 'application/x-ndjson');
  await waitFor('the first lines', () => around.entitlement.charged(accountId) === 2);
  expect(around.entitlement.openHolds(accountId)).toBe(1);

  around.entitlement.isDown = true;
  stream!.write(streamedLine('charged', '{"index":2}'));
  stream!.write(streamedLine('free', '{"index":3}'));
  stream!.end(streamedLine('last', '{"items":4}'));
  const lines = (await answer.body.text()).trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({
    meta: { credits_charged: 3, credits_remaining: BALANCE - 3 },
  });
  const settles = () => around.entitlement.calls.filter((call) => call.endsWith('/settle'));
  const before = settles().length;
  await waitFor('reports in vain', () => settles().length > before + 1);
  around.entitlement.isDown = false;
  await isSettled(accountId, 3);
  expect(around.entitlement.charged(accountId)).toBe(3);
});

it('a client that disconnects pays only for the lines that were sent', async () => {
  const { apiKey, keyRecord } = around.account.addKey({ scopes: ['bulk'] });
  around.lookup.respond = (_asked, response) => {
    response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live');
    response.write(streamedLine('charged', '{"index":0}'));
  };
  const { body } = await post(apiKey, 4, '', 'application/x-ndjson');
  for await (const chunk of body) {
    if (String(chunk).includes('"index":0')) break;
  }
  await isSettled(keyRecord.accountId, 1);
  expect(around.entitlement.charged(keyRecord.accountId)).toBe(1);
});

it('S104: a stream to a client that reads nothing ends in time, and only what was written is charged', async () => {
  const settings = { GATEWAY_LOOKUP_TIMEOUT_MS: '1500', GATEWAY_JOURNAL: `${around.folder}/slow` };
  const { apiUrl } = await around.startGateway(settings);
  const { apiKey, keyRecord } = around.account.addKey({ scopes: ['bulk'] });
  const { accountId } = keyRecord;
  // The answer is larger than what the system buffers for a client that does not read.
  const line = streamedLine('charged', JSON.stringify({ text: 'x'.repeat(1_000_000) }));
  around.lookup.respond = (_asked, response) => {
    response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live');
    for (let index = 0; index < 40; index += 1) response.write(line);
    response.end(streamedLine('last', '{"items":40}'));
  };
  const body = JSON.stringify({ domainNames: Array.from({ length: 40 }, () => 'a.example') });
  const { hostname, port } = new URL(apiUrl);
  const client = connect(Number(port), hostname).pause();
  client.write(
    `POST ${PATH} HTTP/1.1\r\nHost: a\r\nAccept: application/x-ndjson\r\nX-API-Key: ${apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await waitFor('the first lines', () => around.entitlement.charged(accountId) > 0);
  await waitFor('the end of the hold', () => around.entitlement.openHolds(accountId) === 0);
  let text = '';
  client.on('data', (chunk: Buffer) => (text = (text + chunk.toString('latin1')).slice(-2_000)));
  client.resume();
  await waitFor('the end of the answer', () => text.endsWith('0\r\n\r\n'));
  client.destroy();
  const charged = around.entitlement.charged(accountId);
  expect(charged).toBeLessThan(40);
  expect(text).toContain('{"error":"broken_off"');
  expect(text).toContain(`"credits_charged":${charged},`);
});

it('S99: an answer that is too large is free, but counts towards the rate limit', async () => {
  const { apiKey, keyRecord } = around.account.addKey({ scopes: ['bulk'] });
  around.lookup.respond = (_asked, response) => {
    response.setHeader(CHARGED_ITEMS_HEADER, '2');
    response.setHeader('x-outcome', 'delivered').setHeader('x-served-from', 'live');
    response.end(`{"status":true,"raw":"${'x'.repeat(4 * 1024 * 1024)}"}`);
  };
  const { statusCode, headers, body } = await post(apiKey, 2);
  expect([statusCode, headers['x-credits-cost']]).toEqual([413, '0']);
  expect(await body.json()).toMatchObject({ code: 'answer_too_large', retryable: false });
  const { 'x-ratelimit-allowed-requests': all, 'x-ratelimit-remaining-requests': left } = headers;
  expect(Number(left)).toBe(Number(all) - 1);
  await isSettled(keyRecord.accountId, 0);
});

it('S102: an account has at most two running calls to entitlement, so other accounts are not delayed', async () => {
  const { entitlement } = around;
  const busy = around.account.addKey({ scopes: ['bulk'] });
  const other = around.account.addKey({ scopes: ['bulk'] });
  // These requests load the records of both accounts.
  answering(1);
  expect([await ask(busy.apiKey, 2), await ask(other.apiKey, 2)]).toMatchObject([
    { status: 200 },
    { status: 200 },
  ]);
  for (const { keyRecord } of [busy, other]) await isSettled(keyRecord.accountId, 1);
  const asked = () => entitlement.calls.filter((call) => call === 'POST /internal/holds').length;
  const before = asked();
  const { promise, resolve: open } = Promise.withResolvers<void>();
  entitlement.gate = promise;
  const many = Array.from({ length: 4 }, () => ask(busy.apiKey, 2));
  await waitFor('the first of them', () => asked() === before + 2);
  const one = ask(other.apiKey, 2);
  await waitFor('the other account', () => asked() === before + 3);
  entitlement.gate = undefined;
  open();
  const answers = await Promise.all([...many, one]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await isSettled(busy.keyRecord.accountId, 5);
});

it('S102: bulk requests of several accounts leave connections of entitlement to other calls', async () => {
  const { entitlement } = around;
  const keys = Array.from({ length: 5 }, () => around.account.addKey({ scopes: ['bulk'] }));
  // These requests load the records of the accounts.
  answering(1);
  for (const { apiKey, keyRecord } of keys) {
    expect(await ask(apiKey, 2)).toMatchObject({ status: 200 });
    await isSettled(keyRecord.accountId, 1);
  }
  const asked = () => entitlement.calls.filter((call) => call === 'POST /internal/holds').length;
  const before = asked();
  const { promise, resolve: open } = Promise.withResolvers<void>();
  entitlement.gate = promise;
  const many = keys.flatMap(({ apiKey }) => [ask(apiKey, 2), ask(apiKey, 2)]);
  await waitFor('the first calls', () => asked() >= before + 6);
  // This answer follows the arrival of all requests.
  await ask('an unknown key', 2);
  expect(asked()).toBe(before + 6);
  entitlement.gate = undefined;
  open();
  for (const { status } of await Promise.all(many)) expect(status).toBe(200);
});
