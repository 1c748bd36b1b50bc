import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OPERATIONS, kindOf, listenerOf, newestVersion } from '#libs/contracts';
import { waitFor } from '#test/environment';
import { type GatewayUnderTest, live } from '../../../../test/gateway/gateway-under-test.js';
import { LoopbackServer } from '../../../../test/stand-ins/json-server.js';
import { type Era, McpClients, bearer, call } from '../../../../test/gateway/mcp-clients.js';

let mcp: McpClients;
let under: GatewayUnderTest;
const connect: McpClients['connect'] = async (...client) => mcp.connect(...client);
const post: McpClients['post'] = async (...message) => mcp.post(...message);

beforeAll(async () => {
  mcp = await McpClients.start();
  ({ under } = mcp);
});
afterAll(() => mcp?.stop());
beforeEach(() => {
  under.forget();
  mcp.move();
});

describe.each<[string, Era]>([
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
])('a client of revision %s', (_, era) => {
  it('finds a tool for each operation of version 2 with a JSON answer, except those of webhooks and of keys', async () => {
    const client = await connect({}, era);
    const { tools } = await client.listTools();
    const expected = OPERATIONS.filter(
      (row) =>
        listenerOf(row) === 'api' &&
        kindOf(row) === 'answer' &&
        newestVersion(row) === 2 &&
        !/^(webhooks|api-keys)\./.test(row.name),
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

  it('S7: a key among the arguments is rejected, because agents store them', async () => {
    const { apiKey } = under.around.account.addKey();
    const client = await connect({});
    const given = { domainName: 'a.example', apiKey };
    const answer = await call(client, 'whois_live', given);
    expect(answer).toMatchObject({ isError: true, json: { errors: [{ field: 'apiKey' }] } });
    expect(JSON.stringify(answer)).not.toContain(apiKey.slice(12));
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
