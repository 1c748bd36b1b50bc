import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Server } from '@modelcontextprotocol/server';
import { Pool } from 'undici';
import { PUBLIC_LIMIT } from '#libs/contracts';
import { SiteTurns } from '#libs/public-http';
import {
  type GatewayUnderTest,
  expectProblem,
  live,
} from '../../../../test/gateway/gateway-under-test.js';
import { LoadShedder } from '../request/01-shed.js';
import { JSON_HEADERS, McpClients, bearer, call } from '../../../../test/gateway/mcp-clients.js';

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

describe('messages from strangers', () => {
  const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const lookup = { name: 'whois_live', arguments: { domainName: 'a.example' } };
  const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: lookup });

  it.each([
    ['no JSON', '{', 400],
    ['a list', `[${LIST},${LIST}]`, 400],
    ['a text', '"a"', 400],
    ['a large body', JSON.stringify({ a: 'a'.repeat(300_000) }), 413],
    ['many values', JSON.stringify({ a: Array.from({ length: 20_000 }, () => 0) }), 413],
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
    mcp.move();
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

  it.each([
    ['that a key may not make', CALL, 'scope_denied'],
    ['with unusable arguments', CALL.replace('"a.example"', 'null'), 'invalid_request'],
  ])('S17: calls %s count for its account', async (_, message, code) => {
    const { apiKey } = under.around.account.addKey({ scopes: ['dns'] });
    expect((await post(message, bearer(apiKey))).text).toContain(code);
    let text = '';
    for (let i = 0; i < 100 && !text.includes('rate_limited'); i++) {
      ({ text } = await post(message, bearer(apiKey)));
    }
    expect(text).toContain('rate_limited');
  });

  it('calls that an overloaded gateway refuses do not count', async () => {
    const { apiKey } = under.around.account.addKey();
    const overload = jest.spyOn(LoadShedder.prototype, 'isOverloaded', 'get').mockReturnValue(true);
    try {
      for (let i = 0; i < 70; i++) {
        expect((await post(CALL, bearer(apiKey))).text).toContain('service_overloaded');
      }
    } finally {
      overload.mockRestore();
    }
  });

  it('a stranger’s call of a public tool counts once for the address', async () => {
    const params = { name: 'tlds', arguments: {} };
    const asked = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    for (let i = 0; i < PUBLIC_LIMIT; i++) {
      expect((await post(asked)).text).not.toContain('rate_limited');
    }
    expectProblem(await post(asked), 429, 'rate_limited');
  });

  it('S17: above the limit, a body is not read', async () => {
    for (let i = 0; i < PUBLIC_LIMIT; i++) await post('{');
    expectProblem(await post('{'), 429, 'rate_limited');
  });

  it('S17: calls that are no valid messages count for the account of their key', async () => {
    const { apiKey } = under.around.account.addKey();
    expect((await under.ask(live(apiKey))).status).toBe(200);
    const invalid = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} });
    const broken = [invalid, '{', '[]', invalid.replace('"id":1,', '')];
    let status = 0;
    for (let i = 0; i < 100 && status !== 429; i++) {
      ({ status } = await post(broken[i % broken.length], bearer(apiKey)));
    }
    expect(status).toBe(429);
  });

  it.each([
    ['a stranger', PUBLIC_LIMIT],
    ['a key', 0],
  ])(
    'S126: %s above the limit loses its connection at the hundredth 429 answer',
    async (sender, limit) => {
      const { apiKey, keyRecord } = under.around.account.addKey();
      under.around.entitlement.limits.set(keyRecord.accountId, limit);
      const { apiUrl } = await under.around.startGateway({
        GATEWAY_REFUSAL_DELAY_MS: '0',
        GATEWAY_JOURNAL: `${under.around.folder}/${sender}`,
      });
      const isKey = sender === 'a key';
      if (isKey) await post(LIST, bearer(apiKey), '', apiUrl);
      const connection = new Pool(apiUrl, { connections: 1 });
      const last = new Set<number>();
      for (let i = 1; i <= limit + 100; i++) {
        const { headers, body } = await connection.request({
          path: '/mcp',
          method: 'POST',
          body: isKey ? CALL : LIST,
          headers: { ...JSON_HEADERS, ...(isKey && bearer(apiKey)) },
        });
        await body.dump();
        if (headers.connection === 'close') last.add(i);
      }
      await connection.close();
      expect([...last]).toEqual([limit + 100]);
    },
  );

  it('S17: above the sum of its limits, no message with a key is read', async () => {
    const { apiKey, keyRecord } = under.around.account.addKey();
    under.around.entitlement.limits.set(keyRecord.accountId, 1);
    const { apiUrl } = await under.around.startGateway({
      GATEWAY_REFUSAL_DELAY_MS: '0',
      GATEWAY_JOURNAL: `${under.around.folder}/sum`,
    });
    let last: Awaited<ReturnType<typeof post>>;
    let sent = 0;
    do last = await post(CALL, bearer(apiKey), '', apiUrl);
    while (last.status === 200 && sent++ < 1_000);
    expectProblem(last, 429, 'rate_limited');
    expect(last.json.class).toBe('mcp');
    expect((await post('{', bearer(apiKey), '', apiUrl)).json.class).toBe('mcp');
  });

  it('S104: the messages of an account, or of an address without a key, take turns', async () => {
    const { apiKey, keyRecord } = under.around.account.addKey();
    expect((await under.ask(live(apiKey))).status).toBe(200);
    const begin = jest.spyOn(SiteTurns.prototype, 'begin');
    try {
      await post(LIST, bearer(apiKey));
      await post(LIST);
      const senders = begin.mock.calls.map(([sender]) => sender);
      expect(senders).toEqual([
        mcp.from()['x-forwarded-for'],
        keyRecord.accountId,
        mcp.from()['x-forwarded-for'],
        mcp.from()['x-forwarded-for'],
      ]);
    } finally {
      begin.mockRestore();
    }
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

  it('a failure of the library is logged', async () => {
    const broken = jest.spyOn(Server.prototype, 'connect');
    broken.mockRejectedValueOnce(new Error('a fault of the library'));
    expect((await post(LIST)).status).toBe(500);
    broken.mockRestore();
    expect(under.around.logged).toContain('a fault of the library');
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
