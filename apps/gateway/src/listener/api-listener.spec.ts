import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { deliveredAnswer, nameIn } from '../../../../test/stand-ins/lookup-stand-in.js';
import { GatewayUnderTest, live } from '../../../../test/gateway/gateway-under-test.js';

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];
let ask: GatewayUnderTest['ask'];

beforeAll(async () => {
  under = await GatewayUnderTest.start();
  around = under.around;
  ask = under.ask.bind(under);
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

describe('a live lookup', () => {
  it('the answer states its cost, its request id and the rate limit', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    around.entitlement.limits.set(keyRecord.accountId, 80);
    const answer = await ask(live(apiKey));
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'x-request-id': expect.stringMatching(/^req_[0-9A-Za-z]{18}$/),
      'x-credits-cost': '1',
      'x-credits-remaining': '999',
      'ratelimit-policy': '"live";q=80;w=60',
      ratelimit: expect.stringMatching(/^"live";r=79;t=6[01]$/),
      'x-ratelimit-allowed-requests': '80',
      'x-ratelimit-remaining-requests': '79',
      'x-ratelimit-remaining-time': expect.stringMatching(/^6[01]000000000$/),
    });
    expect(answer.headers).not.toHaveProperty('deprecation');
    const { meta, ...record } = answer.json;
    expect(record).toEqual(JSON.parse(deliveredAnswer('example.com').body));
    expect(meta).toEqual({
      request_id: answer.headers['x-request-id'],
      credits_charged: 1,
      credits_remaining: 999,
      price_version: '2026-11',
    });
    expect(around.lookup.questions[0].path).toBe(
      '/internal/whois/live?version=2&domainName=example.com',
    );
  });

  it('version 1 answers without meta and names its successor', async () => {
    const { apiKey } = around.account.addKey();
    const answer = await ask(
      `/v1.0/whois?whois=live&domainName=example.com&apiKey=${apiKey}&unheardOf=1`,
    );
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(deliveredAnswer('example.com').body);
    expect(answer.headers).toMatchObject({
      deprecation: '@1793491200',
      link: '</v2.0/whois/live>; rel="successor-version"',
    });
    expect(around.lookup.questions[0].path).toBe(
      '/internal/whois/live?version=1&domainName=example.com',
    );
  });

  it('S7: the same key is accepted as query parameter, bearer token and header', async () => {
    const { apiKey } = around.account.addKey();
    const question = '/v2.0/whois/live?domainName=example.com';
    const answers = [
      await ask(`${question}&apiKey=${apiKey}`),
      await ask(question, { authorization: `Bearer ${apiKey}` }),
      await ask(question, { 'x-api-key': apiKey }),
      await ask(`${question}&apiKey=${apiKey}`, { 'x-api-key': apiKey }),
      await ask(`${question}&apiKey=${apiKey.replace('_', '%5F')}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  it('optional parameters reach lookup in a fixed order, and meta is inserted correctly even into an empty object', async () => {
    const { apiKey } = around.account.addKey();
    around.lookup.answer = () => ({ ...deliveredAnswer('x'), body: '{}' });
    const answer = await ask(
      live(apiKey, '&fields=dates.created&max_age=60&domain=B%C3%BCcher.example&allow_stale=true'),
    );
    expect(answer.json).toHaveProperty('meta.credits_charged', 1);
    expect(around.lookup.questions[0].path).toBe(
      '/internal/whois/live?version=2&domainName=B%C3%BCcher.example&max_age=60&allow_stale=true&fields=dates.created',
    );
  });

  it('the same request within a minute is free, and fresh=true is charged again', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    const first = await ask(live(apiKey));
    const repeat = await ask(live(apiKey));
    const fresh = await ask(live(apiKey, '&domainName=example.com&fresh=true'));
    const costs = [first, repeat, fresh].map(({ headers }) => headers['x-credits-cost']);
    expect(costs).toEqual(['1', '0', '1']);
    expect(around.lookup.questions.map(({ headers }) => headers['x-repeat'])).toEqual([
      undefined,
      '1',
      undefined,
    ]);
    await waitFor('the settlement', () => around.entitlement.charged(keyRecord.accountId) === 2);
  });

  it.each([
    ['delivered', 'live', 1],
    ['not_registered', 'live', 1],
    ['restricted', 'live', 1],
    ['partial', 'live', 1],
    ['delivered', 'cache', 1],
    ['delivered', 'stale_cache', 1],
    ['empty', 'live', 0],
    ['unknown', 'live', 0],
    ['invalid', 'live', 0],
    ['delivered', 'fixture', 0],
    ['something_new', 'live', 0],
  ])(
    'an answer with outcome %s, served from %s, costs %i',
    async (outcome, servedFrom, credits) => {
      const { apiKey } = around.account.addKey();
      around.lookup.answer = (asked) => ({
        ...deliveredAnswer(nameIn(asked)),
        headers: { 'x-outcome': outcome, 'x-served-from': servedFrom },
      });
      const answer = await ask(live(apiKey));
      expect(answer.headers['x-credits-cost']).toBe(String(credits));
      expect(answer.json).toHaveProperty('meta.credits_charged', credits);
    },
  );

  it('a test key gets only fixtures, free of charge', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ environment: 'test', rank: 0 });
    around.lookup.answer = (asked) => ({
      ...deliveredAnswer(nameIn(asked)),
      headers: { 'x-outcome': 'delivered', 'x-served-from': 'fixture' },
    });
    const fixture = await ask(live(apiKey, '&domainName=registered.test'));
    expect(fixture.status).toBe(200);
    expect(fixture.headers['x-credits-cost']).toBe('0');
    const other = await ask(live(apiKey, '&domainName=example.com'));
    expect([other.status, other.json.code]).toEqual([422, 'test_key_fixture_only']);
    const { apiKey: liveKey } = around.account.addKey({ accountId: keyRecord.accountId });
    const wrong = await ask(live(liveKey, '&domainName=https://registered.TEST./x'));
    expect([wrong.status, wrong.json.code]).toEqual([422, 'fixture_needs_test_key']);
    expect(around.entitlement.openLeases(keyRecord.accountId)).toBe(0);
  });

  it('S99: test keys have their own rate limit, and all live keys of an account share one', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    const { accountId } = keyRecord;
    around.entitlement.limits.set(accountId, 3);
    around.entitlement.keys = 5;
    const { apiKey: second } = around.account.addKey({ accountId, rank: 2 });
    const { apiKey: test } = around.account.addKey({ accountId, rank: 0, environment: 'test' });
    const question = '/v2.0/whois/live?domainName=example.com';
    const statuses = [
      (await ask(`${question}&apiKey=${apiKey}`)).status,
      (await ask(question, { 'x-api-key': second })).status,
      (await ask(question, { authorization: `Bearer ${apiKey}` })).status,
      (await ask(`${question}&apiKey=${second}`)).status,
      (await ask(`${question}&apiKey=${apiKey}`, { 'x-forwarded-for': '2001:db8::1' })).status,
      (await ask(live(test, '&domainName=registered.test'))).status,
    ];
    expect(statuses).toEqual([200, 200, 200, 429, 429, 200]);
    const preflight = await ask(question, { 'x-api-key': apiKey }, 'OPTIONS');
    const head = await ask(question, { 'x-api-key': apiKey }, 'HEAD');
    expect([preflight.status, head.status]).toEqual([204, 429]);
    around.entitlement.keys = 1;
  });

  it('HEAD answers with the headers of GET, including its price, and no body', async () => {
    const { apiKey } = around.account.addKey();
    const got = await ask(live(apiKey, '&domainName=head.example'));
    const headed = await ask(live(apiKey, '&domainName=headed.example'), {}, 'HEAD');
    const of = ({ status, headers }: typeof got) => [
      status,
      headers['content-type'],
      headers['x-credits-cost'],
      headers['x-ratelimit-allowed-requests'],
    ];
    expect(of(headed)).toEqual(of(got));
    expect(headed.headers['x-credits-cost']).toBe('1');
    expect(headed.text).toBe('');
    const refused = await ask('/v2.0/whois/live?domainName=a.example', {}, 'HEAD');
    expect([refused.status, refused.text]).toEqual([401, '']);
    const prices = await ask('/v2.0/pricing', {}, 'HEAD');
    expect([prices.status, prices.text]).toEqual([200, '']);
  });
});
