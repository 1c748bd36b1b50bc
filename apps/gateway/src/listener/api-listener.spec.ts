import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { request } from 'undici';
import { Health } from '#libs/platform';
import { TestDatabase, waitFor } from '#libs/testing';
import { GatewayNeighbourhood } from '../../../../test/stand-ins/gateway-neighbourhood.js';
import {
  deliveredAnswer,
  nameIn,
  problemAnswer,
} from '../../../../test/stand-ins/lookup-stand-in.js';
import { ErrorPages } from '../problems/error-pages.js';
import type { RunningGateway } from '../start.js';
import { addPublicRoutes } from './public-routes.js';

let database: TestDatabase;
let around: GatewayNeighbourhood;
let gateway: RunningGateway;

beforeAll(async () => {
  database = await TestDatabase.create();
  around = new GatewayNeighbourhood(database);
  await around.start();
  gateway = await around.startGateway({ GATEWAY_UPSTREAM_TIMEOUT_MS: '1500' });
});

afterAll(async () => {
  await around?.stop();
  await database?.drop();
});

beforeEach(() => {
  around.lookup.answer = (asked) => deliveredAnswer(nameIn(asked));
  around.lookup.questions.length = 0;
  around.entitlement.isElsewhere = false;
});

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: Record<string, unknown>;
}

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const {
    statusCode,
    headers: answered,
    body,
  } = await request(gateway.apiUrl + path, {
    method: method as 'GET',
    headers,
  });
  const text = await body.text();
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: statusCode, headers: answered, text, json } satisfies Answer;
}

const live = (apiKey: string, rest = '&domainName=example.com') =>
  `/v2.0/whois/live?format=json&apiKey=${apiKey}${rest}`;

describe('a live lookup', () => {
  it('answers with the headers and the meta of a charged answer', async () => {
    const { apiKey, facts } = around.account.addKey();
    around.entitlement.limits.set(facts.accountId, 80);
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

  it('the first version answers without meta and says what succeeds it', async () => {
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

  it('S7: query, bearer and header carry the same key to the same answer', async () => {
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

  it('the optional parameters reach lookup in one order, and a splice into {} stays JSON', async () => {
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

  it('the same question within a minute is free, and fresh=true is charged again', async () => {
    const { apiKey, facts } = around.account.addKey();
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
    await waitFor('the settlement', () => around.entitlement.charged(facts.accountId) === 2);
  });

  it.each([
    ['delivered', 'live', 1],
    ['not_registered', 'live', 1],
    ['restricted', 'live', 1],
    ['partial', 'live', 1],
    ['delivered', 'cache', 1],
    ['delivered', 'stale_cache', 0],
    ['something_new', 'live', 0],
  ])('outcome %s served from %s costs %i', async (outcome, servedFrom, credits) => {
    const { apiKey } = around.account.addKey();
    around.lookup.answer = (asked) => ({
      ...deliveredAnswer(nameIn(asked)),
      headers: { 'x-outcome': outcome, 'x-served-from': servedFrom },
    });
    const answer = await ask(live(apiKey));
    expect(answer.headers['x-credits-cost']).toBe(String(credits));
    expect(answer.json).toHaveProperty('meta.credits_charged', credits);
  });

  it('a test key answers fixtures for nothing, and nothing else', async () => {
    const { apiKey, facts } = around.account.addKey({ environment: 'test', rank: 0 });
    around.lookup.answer = (asked) => ({
      ...deliveredAnswer(nameIn(asked)),
      headers: { 'x-outcome': 'delivered', 'x-served-from': 'fixture' },
    });
    const fixture = await ask(live(apiKey, '&domainName=registered.test'));
    expect(fixture.status).toBe(200);
    expect(fixture.headers['x-credits-cost']).toBe('0');
    const other = await ask(live(apiKey, '&domainName=example.com'));
    expect([other.status, other.json.code]).toEqual([422, 'test_key_fixture_only']);
    const { apiKey: liveKey } = around.account.addKey({ accountId: facts.accountId });
    const wrong = await ask(live(liveKey, '&domainName=https://registered.TEST./x'));
    expect([wrong.status, wrong.json.code]).toEqual([422, 'fixture_needs_test_key']);
    expect(around.entitlement.openLeases(facts.accountId)).toBe(0);
  });

  it('S99: test keys have minutes of their own, and all live keys of an account share one', async () => {
    const { apiKey, facts } = around.account.addKey();
    const { accountId } = facts;
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
    expect([preflight.status, head.status]).toEqual([204, 405]);
    around.entitlement.keys = 1;
  });
});

describe('a refusal', () => {
  /** Every refusal has this shape; `code` and `status` are what differs. */
  function expectProblem(answer: Answer, status: number, code: string): void {
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    const retryable = [429, 503, 504].includes(status);
    expect(answer.json).toMatchObject({
      type: `https://api.example.test/errors/${code}`,
      title: expect.any(String),
      status,
      detail: expect.any(String),
      retryable,
      credits_charged: 0,
      request_id: answer.headers['x-request-id'],
      timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
      error: answer.json.title,
      message: answer.json.detail,
      path: expect.stringMatching(/^\/[^?]*$/),
    });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'x-credits-cost': '0',
      'cache-control': 'private, no-store',
    });
    if (retryable) expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }

  it('400: unknown, doubled and malformed parameters are named in the second version', async () => {
    const { apiKey } = around.account.addKey();
    const answer = await ask(live(apiKey, '&domainName=a.example&colour=red&max_age=x&format=xml'));
    expectProblem(answer, 400, 'invalid_request');
    const fields = (answer.json.errors as { field: string }[]).map(({ field }) => field);
    expect(fields.toSorted()).toEqual(['colour', 'format', 'max_age']);
    expectProblem(await ask(live(apiKey, '')), 400, 'invalid_request');
    expectProblem(await ask(live(apiKey, '&domainName=a%0d%0ab.example')), 400, 'invalid_request');
    expectProblem(await ask(live(apiKey, '&domainName=%ff')), 400, 'malformed_request');
    expectProblem(
      await ask(`/v1.0/whois?whois=reverse&domainName=a.example&apiKey=${apiKey}`),
      400,
      'invalid_request',
    );
    expect(around.lookup.questions).toHaveLength(0);
  });

  it('S10, S11: two keys are refused, in one place or in two', async () => {
    const [{ apiKey: one }, { apiKey: other }] = [around.account.addKey(), around.account.addKey()];
    expectProblem(await ask(`${live(one)}&apiKey=${other}`), 400, 'ambiguous_credentials');
    expectProblem(await ask(`${live(one)}&apiKey=${one}`), 400, 'ambiguous_credentials');
    expectProblem(await ask(live(one), { 'x-api-key': other }), 400, 'ambiguous_credentials');
    expectProblem(
      await ask('/v2.0/whois/live', { 'x-api-key': other, authorization: `Bearer ${one}` }),
      400,
      'ambiguous_credentials',
    );
  });

  it('401: no key, and with WWW-Authenticate', async () => {
    const answer = await ask('/v2.0/whois/live?domainName=example.com');
    expectProblem(answer, 401, 'missing_api_key');
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="api"');
    expect(answer.headers).not.toHaveProperty('x-credits-remaining');
  });

  it('S2, S12: unknown, revoked, expired and erased look the same; a wrong checksum asks nobody', async () => {
    const keys = [
      around.account.addKey({ state: 'revoked' }),
      around.account.addKey({ expiresAt: '2020-01-01T00:00:00Z' }),
      around.account.addKey({ accountState: 'erased' }),
    ].map(({ apiKey }) => apiKey);
    const strangers = new GatewayNeighbourhood(database).account;
    keys.push(strangers.addKey().apiKey);
    const seen = [];
    for (const apiKey of keys) {
      const before = [around.account.keyQueries, around.entitlement.calls.length];
      const answer = await ask(live(apiKey));
      expectProblem(answer, 401, 'invalid_api_key');
      const { request_id: _id, timestamp: _at, ...rest } = answer.json;
      const queries = around.account.keyQueries - before[0];
      seen.push({ rest, queries });
    }
    expect(new Set(seen.map((entry) => JSON.stringify(entry))).size).toBe(1);
    expect(seen[0].queries).toBe(1);
    const before = around.account.keyQueries;
    const mistyped = `${keys[0].slice(0, -1)}${keys[0].endsWith('a') ? 'b' : 'a'}`;
    expectProblem(await ask(live(mistyped)), 401, 'invalid_api_key');
    expectProblem(await ask(live('short')), 401, 'invalid_api_key');
    expect(around.account.keyQueries).toBe(before);
  });

  it('402: the credits are gone, and 429 never touched them', async () => {
    const { apiKey, facts } = around.account.addKey();
    around.entitlement.balances.set(facts.accountId, 2);
    const answers = [];
    for (const name of ['a', 'b', 'c']) {
      answers.push(await ask(live(apiKey, `&domainName=${name}.example`)));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 402]);
    expectProblem(answers[2], 402, 'insufficient_credits');
    expect(answers.map(({ headers }) => headers['x-credits-remaining'])).toEqual(['1', '0', '0']);
  });

  it('S14: 403 for a wrong address, scope, rank, and for a deleted or suspended account', async () => {
    const { account, entitlement } = around;
    const code = async (apiKey: string) => {
      const answer = await ask(live(apiKey));
      expectProblem(answer, 403, String(answer.json.code));
      return answer.json.code;
    };
    expect(await code(account.addKey({ allowedAddresses: ['192.0.2.0/24'] }).apiKey)).toBe(
      'address_not_allowed',
    );
    expect(await code(account.addKey({ scopes: ['dns'] }).apiKey)).toBe('scope_denied');
    expect(await code(account.addKey({ rank: 2 }).apiKey)).toBe('key_paused');
    const suspended = account.addKey();
    entitlement.blocks.set(suspended.facts.accountId, [
      { cause: 'fraud', blocks: ['api'], from: '2020-01-01T00:00:00Z' },
    ]);
    expect(await code(suspended.apiKey)).toBe('account_suspended');
    const restorableUntil = '2027-01-01T00:00:00.000Z';
    const deleted = account.addKey({ accountState: 'deleted', state: 'revoked', restorableUntil });
    const answer = await ask(live(deleted.apiKey));
    expectProblem(answer, 403, 'account_deleted');
    expect(answer.json.restorable_until).toBe(restorableUntil);
    const allowed = account.addKey({ allowedAddresses: ['127.0.0.0/8'] });
    expect((await ask(live(allowed.apiKey))).status).toBe(200);
  });

  it('404 and 405: what is not there, and what takes no such method, with Allow', async () => {
    expectProblem(await ask('/nowhere?apiKey=x'), 404, 'not_found');
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await ask('/v2.0/whois/live', {}, method);
      expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.allow).toBe('GET, OPTIONS');
    }
    const answer = await ask('/health', {}, 'POST');
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  it('422, 503 and 504 of lookup are passed on as ours, and nothing is charged', async () => {
    const { apiKey, facts } = around.account.addKey();
    const cases = [
      [422, 'tld_unsupported', 'unsupported'],
      [503, 'upstream_throttled', 'throttled'],
      [503, 'upstream_unreachable', 'unreachable'],
      [504, 'upstream_timeout', 'timeout'],
    ] as const;
    for (const [status, code, outcome] of cases) {
      around.lookup.answer = () => problemAnswer(status, code, outcome);
      const answer = await ask(live(apiKey));
      expectProblem(answer, status, code);
      expect(answer.headers['x-credits-remaining']).toBe('1000');
    }
    around.lookup.answer = () => ({ status: 500, headers: {}, body: 'Error: at secret.ts:1' });
    const broken = await ask(live(apiKey));
    expectProblem(broken, 503, 'service_unavailable');
    expect(broken.text).not.toContain('secret.ts');
    around.lookup.answer = () => undefined;
    expectProblem(await ask(live(apiKey)), 504, 'answer_timeout');
    expect(around.entitlement.charged(facts.accountId)).toBe(0);
  });

  it('what lookup says becomes a header only where it is a number', async () => {
    const { apiKey } = around.account.addKey();
    const forged = '1\r\nX-Forged: 1';
    const delivered = deliveredAnswer('example.com');
    const headers = { ...delivered.headers, age: 'soon' };
    around.lookup.answer = () => ({ ...delivered, headers });
    expect((await ask(live(apiKey))).headers).not.toHaveProperty('age');
    const problem = problemAnswer(503, 'registry_busy', 'failed');
    const body = JSON.stringify({ ...JSON.parse(problem.body), retry_after: forged });
    around.lookup.answer = () => ({ ...problem, body });
    const refused = await ask(live(apiKey, '&domainName=other.example'));
    expect(refused.status).toBe(503);
    expect(refused.headers).not.toHaveProperty('retry-after');
    expect(refused.headers).not.toHaveProperty('x-forged');
  });

  it('429: the window says when, its page is linked, and nothing was asked or charged', async () => {
    const { apiKey, facts } = around.account.addKey();
    around.entitlement.limits.set(facts.accountId, 1);
    await ask(live(apiKey));
    const answer = await ask(live(apiKey));
    expectProblem(answer, 429, 'rate_limited');
    const { headers } = answer;
    expect(headers.ratelimit).toBe(`"live";r=0;t=${String(headers['retry-after'])}`);
    expect(headers.link).toMatch(/^<\S+\/errors\/rate_limited>; rel="help"$/);
    expect(headers['x-credits-remaining']).toBe('999');
    expect(around.lookup.questions).toHaveLength(1);
  });

  it('503: credits that are elsewhere, and an entitlement that is away', async () => {
    const { apiKey } = around.account.addKey();
    around.entitlement.isElsewhere = true;
    expectProblem(await ask(live(apiKey)), 503, 'credits_busy');
    around.entitlement.isElsewhere = false;
    expect((await ask(live(apiKey))).status).toBe(200);
    const { apiKey: other, facts } = around.account.addKey();
    around.entitlement.limits.set(facts.accountId, 50);
    await ask(live(other, '&domainName=%20'));
    around.entitlement.isDown = true;
    try {
      expectProblem(await ask(live(other)), 503, 'service_unavailable');
    } finally {
      around.entitlement.isDown = false;
    }
  });

  it('S86: an address that is in neither table cannot be added, and is answered 404', async () => {
    const app = fastify();
    addPublicRoutes(app, await ErrorPages.load(), new Health());
    expect(() => app.get('/internal/keys', () => 'open')).toThrow('/internal/keys');
    await app.close();
    const paths = ['/', '/v2.0', '/v2.0/whois', '/internal/keys', '/ready', '/docs', '/errors'];
    for (const path of paths) expectProblem(await ask(path), 404, 'not_found');
  });

  it('each code has a page, and the page is served', async () => {
    const page = await ask('/errors/rate_limited');
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/^# Too many requests/);
    const html = await ask('/errors/rate_limited', { accept: 'text/html' });
    expect(html.headers['content-security-policy']).toContain("default-src 'none'");
    expectProblem(await ask('/errors/no_such_code'), 404, 'not_found');
  });
});

describe('what is left behind', () => {
  it('S8: the key is in no log, no question to lookup, no log row and no answer', async () => {
    const { apiKey, facts } = around.account.addKey();
    const secret = apiKey.slice(9);
    const answers = [
      await ask(live(apiKey)),
      await ask(live(apiKey, `&domainName=a.example&${apiKey}=1&x=${apiKey}`)),
      await ask(`/${apiKey}?apiKey=${apiKey}`),
      await ask(live(`${apiKey}x`)),
    ];
    around.lookup.answer = () => ({ status: 500, headers: {}, body: '' });
    answers.push(await ask(live(apiKey, '&domainName=b.example')));
    const rows = await waitFor('the log rows', () => logRows(facts.accountId, 3));
    const sinks = [
      ...answers.map(({ text, headers }) => text + JSON.stringify(headers)),
      JSON.stringify(around.lookup.questions),
      JSON.stringify(rows),
      around.logged,
    ];
    for (const sink of sinks) expect(sink).not.toContain(secret);
  });

  it('the request log lists each call of a known account with what it cost', async () => {
    const { apiKey, facts } = around.account.addKey();
    const first = await ask(live(apiKey));
    await ask(live(apiKey, '&domainName=ex%09ample'));
    const rows = await waitFor('the log rows', () => logRows(facts.accountId, 2));
    expect(rows[0]).toMatchObject({
      request_id: first.headers['x-request-id'],
      key_id: facts.keyId,
      operation: 'whois.live',
      version: 2,
      subject: 'example.com',
      status: 200,
      outcome: 'delivered',
      credits: 1,
    });
    expect(rows[1]).toMatchObject({ status: 400, outcome: 'invalid_request', credits: 0 });
  });

  it('a client that goes away is not charged, and lookup is let go', async () => {
    const { apiKey, facts } = around.account.addKey();
    around.lookup.answer = () => undefined;
    const abandonedBefore = around.lookup.abandoned;
    const going = new AbortController();
    const asked = request(gateway.apiUrl + live(apiKey), { signal: going.signal });
    await waitFor('the question', () => around.lookup.questions.length === 1);
    going.abort();
    await expect(asked).rejects.toThrow();
    await waitFor('lookup to be let go', () => around.lookup.abandoned === abandonedBefore + 1);
    const [row] = await waitFor('the log row', () => logRows(facts.accountId, 1));
    expect(row).toMatchObject({ status: 499, credits: 0 });
    expect(around.entitlement.charged(facts.accountId)).toBe(0);
  });
});

async function logRows(accountId: string, count: number) {
  const rows = await logOf(accountId);
  return rows.length === count ? rows : undefined;
}

async function logOf(accountId: string): Promise<Record<string, unknown>[]> {
  const auditor = await (auditing ??= database.auditor('gateway'));
  return auditor.query('select * from request_log where account_id = $1 order by at, request_id', [
    accountId,
  ]);
}

let auditing: ReturnType<TestDatabase['auditor']> | undefined;
