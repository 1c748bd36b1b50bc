import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  ACCOUNT_KEYS,
  ACCOUNT_KEY_CREATE,
  ACCOUNT_KEY_OPERATIONS,
  ACCOUNT_KEY_REVOKE,
  OPERATIONS,
  WHOIS_LIVE,
  openApi,
} from '#libs/contracts';
import { toolsOf } from '../mcp/mcp-tools.js';
import { GatewayUnderTest, expectProblem } from '../../../../test/gateway/gateway-under-test.js';

/** The headers of the calls that reached the account service. */
const arrived: Record<string, unknown>[] = [];
let under: GatewayUnderTest;

beforeAll(async () => {
  under = await GatewayUnderTest.start({ GATEWAY_TRUSTED_PROXIES: '127.0.0.1' }, [
    ...ACCOUNT_KEY_OPERATIONS,
  ]);
  const { account } = under.around;
  const usual = account['answer'].bind(account);
  account['answer'] = (asked, body) => {
    if (!asked.url!.startsWith('/internal/account/keys')) return usual(asked, body);
    arrived.push(asked.headers);
    return ACCOUNT_KEYS.examples[0].answer;
  };
});
afterAll(() => under?.stop());
beforeEach(() => {
  arrived.length = 0;
});

const PATH = '/v2.0/account/keys';
const manager = () => under.around.account.addKey({ scopes: ['keys:write'] });

it('S7, S131: calls that manage keys reject a key in the query, even if a header also contains it', async () => {
  const { apiKey } = manager();
  for (const headers of [undefined, { 'x-api-key': apiKey }]) {
    expectProblem(await under.ask(`${PATH}?apiKey=${apiKey}`, headers), 400, 'key_in_query');
  }
  expect(arrived).toEqual([]);
});

it('S7: the description names the places where each request accepts a key', () => {
  const origin = { title: 'A', version: '1', origin: 'https://a.test', listener: 'api' } as const;
  const described = openApi([WHOIS_LIVE, ...ACCOUNT_KEY_OPERATIONS], origin) as {
    paths: Record<string, { get: { security: object[]; responses: object } }>;
  };
  const placesAt = (path: string) => {
    const { security, responses } = described.paths[path].get;
    const isRefused = JSON.stringify(responses).includes('key_in_query');
    return [security.flatMap((way) => Object.keys(way)), isRefused];
  };
  expect(placesAt(PATH)).toEqual([['bearer', 'header'], true]);
  expect(placesAt('/v2.0/whois/live')).toEqual([['bearer', 'header', 'query'], false]);
});

it('S116: the account service gets the calling key, and where and with what it is used', async () => {
  const { apiKey, keyRecord } = manager();
  const headers = {
    'x-api-key': apiKey,
    'x-forwarded-for': '203.0.113.7',
    'user-agent': 'a robot'.padEnd(400, '!'),
  };
  expect(await under.ask(PATH, headers)).toMatchObject({
    status: 200,
    json: ACCOUNT_KEYS.examples[0].answer,
    headers: { 'ratelimit-policy': '"account";q=60;w=60', 'x-credits-cost': '0' },
  });
  expect(arrived).toMatchObject([
    {
      'x-account-id': keyRecord.accountId,
      'x-key-id': keyRecord.keyId,
      'x-client-address': '203.0.113.7',
      'x-user-agent': 'a robot'.padEnd(300, '!'),
    },
  ]);
});

it('S131: a test key, and a key without the scope, cannot manage keys', async () => {
  const test = under.around.account.addKey({ scopes: ['keys:write'], environment: 'test' });
  const other = under.around.account.addKey({ scopes: ['account:read'] });
  const asked = (apiKey: string) => under.ask(PATH, { 'x-api-key': apiKey });
  expectProblem(await asked(test.apiKey), 403, 'test_key_not_allowed');
  expectProblem(await asked(other.apiKey), 403, 'scope_denied');
  expect(arrived).toEqual([]);
});

it('S131: no tool of MCP manages keys', () => {
  const rows = [...toolsOf(OPERATIONS).values()].map(({ operation }) => operation);
  expect(rows.filter((row) => ACCOUNT_KEY_OPERATIONS.includes(row as never))).toEqual([]);
  expect([ACCOUNT_KEY_CREATE, ACCOUNT_KEY_REVOKE].map(({ access }) => access)).toEqual(
    Array(2).fill(expect.objectContaining({ managesKeys: true, class: 'account' })),
  );
});
