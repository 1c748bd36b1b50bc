import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { request } from 'undici';
import { OPERATIONS, PUBLIC_LIMIT, kindOf, listenerOf, newestVersion } from '#libs/contracts';
import { waitFor } from '#test/environment';
import {
  type Answer,
  GatewayUnderTest,
  expectProblem,
  live,
} from '../../../../test/gateway/gateway-under-test.js';
import { LoopbackServer } from '../../../../test/stand-ins/json-server.js';

let under: GatewayUnderTest;
const clients: Client[] = [];
let address = 0;

beforeAll(async () => {
  under = await GatewayUnderTest.start({ GATEWAY_TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await under?.stop();
});
beforeEach(() => {
  under.forget();
  address++;
});

type Era = 'legacy' | { pin: string };

/** Each test has an address of its own, because messages count towards the limit of their address. */
const from = () => ({ 'x-forwarded-for': `192.0.2.${address}` });

async function connect(headers: Record<string, string>, mode: Era = 'legacy'): Promise<Client> {
  const client = new Client({ name: 'spec', version: '1' }, { versionNegotiation: { mode } });
  clients.push(client);
  const requestInit = { headers: { ...from(), ...headers } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', under.url), { requestInit }),
  );
  return client;
}

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

async function call(client: Client, name: string, given: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: given });
  const [{ text }] = result.content as { text: string }[];
  return { isError: result.isError === true, json: JSON.parse(text) as Record<string, unknown> };
}

async function post(
  body: string,
  headers: Record<string, string> = {},
  query = '',
  url = under.url,
): Promise<Answer> {
  const answered = await request(`${url}/mcp${query}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...from(),
      ...headers,
    },
  });
  const text = await answered.body.text();
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: answered.statusCode, headers: answered.headers, text, json };
}

describe.each<[string, Era]>([
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
])('a client of revision %s', (_, era) => {
  it('finds a tool for each operation of version 2 with a JSON answer, except webhooks', async () => {
    const client = await connect({}, era);
    const { tools } = await client.listTools();
    const expected = OPERATIONS.filter(
      (row) =>
        listenerOf(row) === 'api' &&
        kindOf(row) === 'answer' &&
        newestVersion(row) === 2 &&
        !row.name.startsWith('webhooks.'),
    ).map(({ name }) => name.replaceAll('.', '_'));
    expect(tools.map(({ name }) => name)).toEqual(expected);
    expect(tools.every(({ name }) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
    const [lookup] = tools;
    expect(lookup).toMatchObject({
      name: 'whois_live',
      description: expect.stringContaining('1 credit per answer.'),
      inputSchema: { type: 'object', properties: { max_credits: { type: 'integer' } } },
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
    const bulk = tools.find(({ name }) => name === 'whois_bulk')!;
    expect(JSON.stringify(bulk.inputSchema)).not.toContain('#/components');
    expect(bulk.inputSchema.required).toEqual(['body']);
    const changes = tools.filter(({ annotations }) => annotations!.readOnlyHint === false);
    const additions = changes.filter(({ annotations }) => annotations!.destructiveHint === false);
    expect(changes.map(({ name }) => name)).toContain('jobs_cancel');
    expect(additions.map(({ name }) => name)).toEqual([
      'jobs_whois',
      'jobs_dns',
      'monitors_create',
    ]);
    expect(client.getInstructions()).toContain('Calls cost credits');
  });

  it('calls tools at the price of the operation, and gets its answers and errors', async () => {
    const { apiKey, keyRecord } = under.around.account.addKey();
    const client = await connect(bearer(apiKey), era);
    const found = await call(client, 'whois_live', { domainName: 'bücher.example' });
    expect(found).toMatchObject({
      isError: false,
      json: { domain_name: expect.any(String), meta: { credits_charged: 1 } },
    });
    expect(under.around.lookup.questions[0].path).toBe(
      '/internal/whois/live?version=2&domainName=b%C3%BCcher.example',
    );
    const refused = await call(client, 'whois_live', { domainName: 'a.example', max_credits: 0 });
    expect(refused).toMatchObject({ isError: true, json: { code: 'price_above_max' } });
    await waitFor('the charge', () => under.around.entitlement.charged(keyRecord.accountId) === 1);
    const rows = await under.logRows(keyRecord.accountId, 2);
    expect(rows).toEqual([
      expect.objectContaining({ operation: 'whois.live', key_id: keyRecord.keyId, credits: 1 }),
      expect.objectContaining({ operation: 'whois.live', status: 402, credits: 0 }),
    ]);
  });
});

describe('a tool call', () => {
  it('S7: the key is accepted in each place, and two different keys are rejected', async () => {
    const { apiKey } = under.around.account.addKey();
    const { apiKey: other } = under.around.account.addKey();
    const message = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'whois_live', arguments: { domainName: 'keys.example' } },
    });
    const answers = [
      await post(message, bearer(apiKey)),
      await post(message, { 'x-api-key': apiKey }),
      await post(message, {}, `?apiKey=${apiKey}`),
      await post(message, bearer(apiKey), `?apiKey=${other}`),
      await post(message),
    ];
    const texts = answers.map(({ text }) => text);
    for (const text of texts.slice(0, 3)) expect(text).toContain('credits_charged');
    expect(texts[3]).toContain('ambiguous_credentials');
    expect(texts[4]).toContain('missing_api_key');
    for (const text of texts) expect(text).not.toContain(apiKey.slice(12));
  });

  it('S99: counts towards the same limit as a request over HTTP', async () => {
    const { apiKey, keyRecord } = under.around.account.addKey();
    under.around.entitlement.limits.set(keyRecord.accountId, 2);
    const client = await connect(bearer(apiKey));
    const ask = (name: string) => call(client, 'whois_live', { domainName: `${name}.example` });
    expect((await ask('first')).isError).toBe(false);
    expect((await under.ask(live(apiKey, '&domainName=second.example'))).status).toBe(200);
    expect(await ask('third')).toMatchObject({ isError: true, json: { code: 'rate_limited' } });
    const arguments_ = { domainName: 'fourth.example' };
    const { content } = await client.callTool({ name: 'whois_live', arguments: arguments_ });
    expect((content as { text: string }[])[1].text).toMatch(/^Retry-After: \d+$/);
  });

  it('S14: an address that the key does not allow is rejected', async () => {
    const { apiKey } = under.around.account.addKey({ allowedAddresses: ['198.51.100.7'] });
    const client = await connect(bearer(apiKey));
    const given = { domainName: 'registered.example' };
    expect(await call(client, 'whois_live', given)).toMatchObject({
      isError: true,
      json: { code: 'address_not_allowed' },
    });
    const other = await connect({ ...bearer(apiKey), 'x-forwarded-for': '198.51.100.7' });
    expect((await call(other, 'whois_live', given)).isError).toBe(false);
  });

  it('contains parameters of every kind, and invalid ones are named as over HTTP', async () => {
    const { apiKey } = under.around.account.addKey();
    const client = await connect(bearer(apiKey));
    const given = {
      domainName: 'a.example',
      fields: ['domain_name', 'dates.created'],
      fresh: true,
    };
    expect((await call(client, 'whois_live', given)).isError).toBe(false);
    expect(under.around.lookup.questions[0].path).toContain('fields=domain_name%2Cdates.created');
    const faults = async (name: string, values: Record<string, unknown>) => {
      const { isError, json } = await call(client, name, values);
      expect(isError).toBe(true);
      return (json.errors as { field: string }[]).map(({ field }) => field);
    };
    expect(await faults('whois_live', { max_age: 'x', nonsense: 1 })).toEqual(
      expect.arrayContaining(['domainName', 'max_age', 'nonsense']),
    );
    expect(await faults('whois_live', { domainName: { deep: 1 } })).toEqual(['domainName']);
    expect(await faults('whois_live', { domainName: [['a.example']] })).toEqual(['domainName']);
    expect(await faults('whois_bulk', { body: 'a.example' })).toEqual(['body']);
    expect(await faults('jobs_get', {})).toEqual(['id']);
    expect(await faults('no_such_tool', {})).toEqual(['name']);
    const long = await call(client, 'whois_live', { domainName: 'a'.repeat(9_000) });
    expect(long).toMatchObject({ isError: true, json: { code: 'uri_too_long' } });
  });

  it('with an idempotency key runs once', async () => {
    const { entitlement, account } = under.around;
    entitlement.bulkLimit = 1_000;
    under.around.lookup.answer = () => ({
      headers: { 'x-outcome': 'delivered', 'x-served-from': 'live', 'x-charged-items': '1' },
      status: 200,
      body: '{"answers":[]}',
    });
    const { apiKey, keyRecord } = account.addKey({ scopes: ['whois', 'bulk'] });
    const client = await connect(bearer(apiKey));
    const given = { body: { domainNames: ['registered.example'] }, idempotency_key: 'once' };
    const first = await call(client, 'whois_bulk', given);
    const again = await call(client, 'whois_bulk', given);
    expect([first.isError, again.isError]).toEqual([false, false]);
    expect([first.json.meta, again.json.meta]).toMatchObject([
      { credits_charged: 1 },
      { credits_charged: 0 },
    ]);
    const invalid = await call(client, 'whois_bulk', { ...given, idempotency_key: 'a b\r\nc: d' });
    expect(invalid).toMatchObject({ isError: true, json: { code: 'invalid_request' } });
    await waitFor('the charge', () => entitlement.charged(keyRecord.accountId) === 1);
  });

  it('says if the installation simulates its data, but not with an error', async () => {
    const { apiKey } = under.around.account.addKey();
    const other = await under.around.startGateway({
      GATEWAY_SIMULATED_DATA: 'true',
      GATEWAY_JOURNAL: `${under.around.folder}/simulated`,
    });
    const ask = (domainName: string) => {
      const params = { name: 'whois_live', arguments: { domainName } };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      return post(JSON.stringify(message), bearer(apiKey), '', other.apiUrl);
    };
    expect((await ask('a.example')).text).toContain('This installation simulates its data.');
    expect((await ask('')).text).not.toContain('simulates');
  });

  it('says if the history is invented, also if a lookup has the same path', async () => {
    const { apiKey } = under.around.account.addKey({ scopes: ['dns', 'reverse'] });
    const owner = new LoopbackServer((_asked, response) => response.end('{"status":true}'));
    await owner.start();
    const other = await under.around.startGateway({
      GATEWAY_INVENTED_NAMES: 'true',
      GATEWAY_JOURNAL: `${under.around.folder}/invented`,
      CORPUS_URL: owner.url,
    });
    const ask = (name: string, given: object) => {
      const params = { name, arguments: { value: '198.41.0.4', ...given } };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      return post(JSON.stringify(message), bearer(apiKey), '', other.apiUrl);
    };
    expect((await ask('dns_reverse', { type: 'A' })).text).toContain('simulates its data.');
    const live = (await ask('dns_ptr', {})).text;
    expect(live).toContain('credits_charged');
    expect(live).not.toContain('simulates');
    await owner.stop();
  });

  it('whose client disconnects is not charged, and its lookup is cancelled', async () => {
    const { apiKey, keyRecord } = under.around.account.addKey();
    let isCancelled = false;
    under.around.lookup.respond = (_, response) => {
      response.on('close', () => (isCancelled = true));
    };
    const gone = new AbortController();
    const params = { name: 'whois_live', arguments: { domainName: 'slow.example' } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const asked = fetch(`${under.url}/mcp`, {
      method: 'POST',
      body: JSON.stringify(message),
      headers: {
        ...bearer(apiKey),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      signal: gone.signal,
    });
    await waitFor('the lookup', () => under.around.lookup.questions.length > 0);
    gone.abort();
    await expect(asked).rejects.toThrow();
    await waitFor('the cancellation', () => isCancelled);
    expect(await under.logRows(keyRecord.accountId, 1)).toMatchObject([
      { status: 499, credits: 0 },
    ]);
  });
});

describe('messages from strangers', () => {
  const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const lookup = { name: 'whois_live', arguments: { domainName: 'a.example' } };
  const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: lookup });

  it.each([
    ['no JSON', '{', 400],
    ['a list', `[${LIST},${LIST}]`, 400],
    ['a text', '"a"', 400],
    ['a large body', JSON.stringify({ a: 'a'.repeat(300_000) }), 413],
    ['many values', JSON.stringify({ a: Array.from({ length: 20_000 }, () => 0) }), 400],
    ['a member named __proto__', '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}', 400],
  ])('S94: %s is rejected', async (_, body, status) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
  });

  it('a message in another media type is rejected', async () => {
    const answer = await post(LIST, { 'content-type': 'text/plain' });
    expectProblem(answer, 415, 'unsupported_media_type');
  });

  it('S17: only a limited number of messages of an address is answered, and others are served', async () => {
    const unknown = bearer(under.strangersKey());
    for (let i = 0; i < PUBLIC_LIMIT; i++) expect((await post(LIST, unknown)).status).toBe(200);
    expectProblem(await post(LIST), 429, 'rate_limited');
    expectProblem(await post(LIST, unknown), 429, 'rate_limited');
    address++;
    expect((await post(LIST)).status).toBe(200);
  });

  it('S17: messages with a key, and calls of it that reach no operation, count for its account', async () => {
    const { apiKey } = under.around.account.addKey();
    const client = await connect(bearer(apiKey));
    await call(client, 'whois_live', { domainName: 'a.example' });
    let isLimited = false;
    for (let i = 0; i < 100 && !isLimited; i++) {
      const { json } = await call(client, 'no_such_tool', {});
      isLimited = json.code === 'rate_limited';
    }
    expect(isLimited).toBe(true);
    expectProblem(await post(LIST, bearer(apiKey)), 429, 'rate_limited');
    expect((await call(client, 'whois_live', { domainName: 'b.example' })).isError).toBe(false);
  });

  it('S17: whatever strangers at its address send, a customer is served from the first message on', async () => {
    for (let i = 0; i < PUBLIC_LIMIT; i++) await post(LIST);
    expectProblem(await post(LIST), 429, 'rate_limited');
    const [first, second] = [0, 1].map(() => bearer(under.around.account.addKey().apiKey));
    expect((await post(LIST, first)).status).toBe(200);
    expect((await post(CALL, second)).text).toContain('credits_charged');
  });

  it('S14: messages with a key from an address that it does not allow count for this address', async () => {
    const { apiKey } = under.around.account.addKey({ allowedAddresses: ['198.51.100.7'] });
    const home = { ...bearer(apiKey), 'x-forwarded-for': '198.51.100.7' };
    expect((await post(CALL, home)).text).toContain('credits_charged');
    for (let i = 0; i < PUBLIC_LIMIT; i++) await post(LIST, bearer(apiKey));
    expect((await post(LIST, bearer(apiKey))).json).toMatchObject({ class: 'public' });
    expect((await post(LIST, home)).status).toBe(200);
  });

  it('S17: malformed calls with a key count for its account', async () => {
    const { apiKey } = under.around.account.addKey();
    await post(CALL, bearer(apiKey));
    const malformed = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
    const statuses = new Set<number>();
    for (let i = 0; i < 100; i++) statuses.add((await post(malformed, bearer(apiKey))).status);
    expect(statuses).toContain(429);
  });

  it('S104: a subscription, which would never end, is rejected', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { _meta, notifications: { toolsListChanged: true } };
    const method = 'subscriptions/listen';
    const message = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
    const { json } = await post(message, {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
    });
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32_601, message: 'Method not found' },
    });
  });

  it('405: only POST is allowed, and pages of any origin may send it', async () => {
    expectProblem(await under.ask('/mcp'), 405, 'method_not_allowed');
    const preflight = await under.ask('/mcp', {}, 'OPTIONS');
    expect(preflight.headers).toMatchObject({
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': expect.stringContaining('mcp-protocol-version'),
    });
  });
});
