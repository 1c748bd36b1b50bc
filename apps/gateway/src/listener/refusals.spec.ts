import { randomUUID } from 'node:crypto';
import { BlockList, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { fastify } from 'fastify';
import { Health } from '#libs/platform';
import { SiteTurns } from '#libs/public-http';
import { deliveredAnswer, problemAnswer } from '../../../../test/stand-ins/lookup-stand-in.js';
import {
  GatewayUnderTest,
  expectProblem,
  live,
} from '../../../../test/gateway/gateway-under-test.js';
import { ErrorPages } from '../reference/error-pages.js';
import { ApiDocs } from '../reference/api-docs.js';
import { addPublicRoutes } from './public-routes.js';

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

describe('refusals and public pages', () => {
  it('400: unknown, malformed and missing parameters are rejected', async () => {
    const { apiKey } = around.account.addKey();
    const answer = await ask(live(apiKey, '&domainName=a.example&colour=red&max_age=x&format=xml'));
    expectProblem(answer, 400, 'invalid_request');
    const fields = (answer.json.errors as { field: string }[]).map(({ field }) => field);
    expect(fields.toSorted()).toEqual(['colour', 'format', 'max_age']);
    expectProblem(await ask(live(apiKey, '')), 400, 'invalid_request');
    expectProblem(await ask(live(apiKey, '&domainName=a%0d%0ab.example')), 400, 'invalid_request');
    const wrong = await ask(live(apiKey, '&domainName=%ff'));
    expectProblem(wrong, 400, 'invalid_request');
    expect(wrong.json.errors).toMatchObject([{ field: 'domainName' }]);
    expectProblem(
      await ask(`/v1.0/whois?whois=elsewhere&domainName=a.example&apiKey=${apiKey}`),
      400,
      'invalid_request',
    );
    expect(around.lookup.questions).toHaveLength(0);
  });

  it('S10, S11: two keys are rejected, in one place or in two', async () => {
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

  it('S11: an empty header does not count as a second key', async () => {
    const { apiKey } = around.account.addKey();
    const path = '/v2.0/whois/live?domainName=a.example';
    const headers = { authorization: `Bearer ${apiKey}`, 'x-api-key': '' };
    expect((await ask(path, headers)).status).toBe(200);
    expect((await ask(`${path}&apiKey=${apiKey}`, { 'x-api-key': '' })).status).toBe(200);
  });

  it('400: a request with more than 32 parameters is refused with this reason', async () => {
    const { apiKey } = around.account.addKey();
    const answer = await ask(`/v2.0/whois/live?${'a&'.repeat(33)}`, { 'x-api-key': apiKey });
    expectProblem(answer, 400, 'malformed_request');
    expect(answer.json.detail).toContain('more than 32 parameters');
  });

  it('401: the answer to a missing key has WWW-Authenticate', async () => {
    const answer = await ask('/v2.0/whois/live?domainName=example.com');
    expectProblem(answer, 401, 'missing_api_key');
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="api"');
    expect(answer.headers).not.toHaveProperty('x-credits-remaining');
  });

  it.each([
    ['/v2.0/whois/live/', {}, 404, 'Did you mean /v2.0/whois/live?'],
    ['/v2.0/Whois/live?domainName=a.example', {}, 404, 'Did you mean /v2.0/whois/live?'],
    ['/whois', {}, 404, '/docs and /openapi.json list all operations.'],
    ['/v2.0/whois/live', { authorization: 'KEY' }, 401, 'does not begin with "Bearer "'],
    ['/v2.0/whois/live', { apikey: 'KEY' }, 401, 'a name other than X-API-Key'],
    ['/v2.0/whois/live?api_key=KEY', {}, 401, 'a name other than apiKey'],
    [
      '/v2.0/whois/live?domainname=a.example',
      { 'x-api-key': 'KEY' },
      400,
      'nearest is "domainName"',
    ],
    ['/v2.0/whois/live?domainName=a.example&maxage=1', { 'x-api-key': 'KEY' }, 400, '"max_age"'],
  ])(
    'S9: the error for %s with %j gives a hint and a link to an existing page',
    async (path, headers, status, hint) => {
      const { apiKey } = around.account.addKey();
      const filled = Object.entries(headers).map(([name, value]) => [
        name,
        value.replace('KEY', apiKey),
      ]);
      const { json, ...answer } = await ask(
        path.replace('KEY', apiKey),
        Object.fromEntries(filled),
      );
      expect([answer.status, json.detail]).toEqual([status, expect.stringContaining(hint)]);
      expect(answer.text).not.toContain(apiKey);
      expect(answer.headers).toMatchObject({
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
      });
      expect((await ask(new URL(String(json.type)).pathname)).status).toBe(200);
    },
  );

  it('S104: requests for pages of the API are grouped by the site that sent them', async () => {
    const begin = jest.spyOn(SiteTurns.prototype, 'begin');
    for (const path of ['/errors', '/nothing-here']) await ask(path);
    const sites = begin.mock.calls.map(([site]) => site);
    begin.mockRestore();
    expect(sites).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  it('S104: a POST without a body is answered at once, and the answer says what is missing', async () => {
    const { apiKey } = around.account.addKey({ scopes: ['bulk'] });
    const head = `POST /v2.0/bulkwhois/live HTTP/1.1\r\nHost: a.example\r\nX-API-Key: ${apiKey}\r\n`;
    const socket = connect(Number(new URL(under.url).port), '127.0.0.1');
    socket.write(`${head}Content-Type: application/json\r\nConnection: close\r\n\r\n`);
    const answer = Buffer.concat(await socket.toArray()).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('body: is required, as JSON');
  });

  it('S2, S12: unknown, revoked, expired and erased keys get the same answer; a wrong checksum causes no call', async () => {
    const keys = [
      around.account.addKey({ state: 'revoked' }),
      around.account.addKey({ expiresAt: '2020-01-01T00:00:00Z' }),
      around.account.addKey({ accountState: 'erased' }),
    ].map(({ apiKey }) => apiKey);
    keys.push(under.strangersKey());
    const allowances = () => around.entitlement.calls.filter((line) => line.includes('allowance'));
    const seen = [];
    for (const apiKey of keys) {
      const before = [around.account.keyQueries, allowances().length];
      const answer = await ask(live(apiKey));
      expectProblem(answer, 401, 'invalid_api_key');
      const { request_id: _id, timestamp: _at, ...rest } = answer.json;
      const queries = around.account.keyQueries - before[0];
      seen.push({ rest, queries, allowances: allowances().length - before[1] });
    }
    expect(new Set(seen.map((entry) => JSON.stringify(entry))).size).toBe(1);
    expect(seen[0]).toMatchObject({ queries: 1, allowances: 0 });
    const before = around.account.keyQueries;
    const mistyped = `${keys[0].slice(0, -1)}${keys[0].endsWith('a') ? 'b' : 'a'}`;
    expectProblem(await ask(live(mistyped)), 401, 'invalid_api_key');
    expectProblem(await ask(live('short')), 401, 'invalid_api_key');
    expect(around.account.keyQueries).toBe(before);
  });

  it('402: the credits are used up', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    around.entitlement.balances.set(keyRecord.accountId, 2);
    const answers = [];
    for (const name of ['a', 'b', 'c']) {
      answers.push(await ask(live(apiKey, `&domainName=${name}.example`)));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 402]);
    expectProblem(answers[2], 402, 'insufficient_credits');
    expect(answers.map(({ headers }) => headers['x-credits-remaining'])).toEqual(['1', '0', '0']);
  });

  it('S12, S14: 403: the address, scope or rank is wrong, the account is deleted or suspended, or a key with a cap starts work that is charged later', async () => {
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
    // A job or a monitor is charged later, so the cap of a key could not limit its cost.
    const capped = { scopes: ['whois', 'jobs', 'monitors'], dailyCreditCap: 5 } as const;
    const { apiKey } = account.addKey({ ...capped, scopes: [...capped.scopes] });
    expect((await ask(live(apiKey))).status).toBe(200);
    const resume = `/v2.0/monitors/${randomUUID()}/resume`;
    for (const path of ['/v2.0/jobs/whois', '/v2.0/jobs/dns', '/v2.0/monitors', resume]) {
      const refused = await ask(path, { 'x-api-key': apiKey }, 'POST');
      expectProblem(refused, 403, 'capped_key_not_allowed');
    }
    const suspended = account.addKey();
    entitlement.blocks.set(suspended.keyRecord.accountId, [
      { cause: 'fraud', blocks: ['api'], from: '2020-01-01T00:00:00Z' },
    ]);
    expect(await code(suspended.apiKey)).toBe('account_suspended');
    expect(await code(account.addKey({ isSuspended: true }).apiKey)).toBe('account_suspended');
    const restorableUntil = '2027-01-01T00:00:00.000Z';
    const deleted = account.addKey({ accountState: 'deleted', state: 'revoked', restorableUntil });
    const answer = await ask(live(deleted.apiKey));
    expectProblem(answer, 403, 'account_deleted');
    expect(answer.json.restorable_until).toBe(restorableUntil);
    const allowed = account.addKey({ allowedAddresses: ['127.0.0.0/8'] });
    expect((await ask(live(allowed.apiKey))).status).toBe(200);
  });

  it('404: the path is unknown; 405 with Allow: the method is wrong', async () => {
    expectProblem(await ask('/nowhere?apiKey=x'), 404, 'not_found');
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'] as const) {
      const answer = await ask('/v2.0/whois/live', {}, method);
      expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
    }
    const answer = await ask('/health', {}, 'POST');
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  it('422, 503 and 504 from lookup are passed on as problems of the API, without a charge', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
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
    const impatient = await around.startGateway({
      GATEWAY_LOOKUP_TIMEOUT_MS: '300',
      GATEWAY_JOURNAL: `${around.folder}/impatient`,
    });
    const late = await fetch(impatient.apiUrl + live(apiKey));
    expect([late.status, await late.json()]).toMatchObject([504, { code: 'answer_timeout' }]);
    expect(around.entitlement.charged(keyRecord.accountId)).toBe(0);
  });

  it('a value from lookup becomes a header only if it is a number', async () => {
    const { apiKey } = around.account.addKey();
    const forged = '1\r\nX-Forged: 1';
    const delivered = deliveredAnswer('example.com');
    const headers = { ...delivered.headers, age: 'soon' };
    around.lookup.answer = () => ({ ...delivered, headers });
    expect((await ask(live(apiKey))).headers).not.toHaveProperty('age');
    const problem = problemAnswer(503, 'upstream_throttled', 'throttled');
    const body = JSON.stringify({ ...JSON.parse(problem.body), retry_after: forged });
    around.lookup.answer = () => ({ ...problem, body });
    const refused = await ask(live(apiKey, '&domainName=other.example'));
    expect(refused.status).toBe(503);
    expect(refused.headers).not.toHaveProperty('retry-after');
    expect(refused.headers).not.toHaveProperty('x-forged');
  });

  it('429: the answer states the wait and links to the page of the error, without a lookup or a charge', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    around.entitlement.limits.set(keyRecord.accountId, 1);
    await ask(live(apiKey));
    const answer = await ask(live(apiKey));
    expectProblem(answer, 429, 'rate_limited');
    expect(answer.json.detail).toContain('more than 1 request of class "live"');
    const { headers } = answer;
    const seconds = Math.min(60, Number(headers['retry-after']));
    expect(headers.ratelimit).toBe(`"live";r=0;t=${seconds}`);
    expect(headers.link).toMatch(/^<\S+\/errors\/rate_limited>; rel="help"$/);
    expect(headers['x-credits-remaining']).toBe('999');
    expect(around.lookup.questions).toHaveLength(1);
  });

  it('503: credits are held elsewhere, or entitlement is down', async () => {
    const { apiKey } = around.account.addKey();
    around.entitlement.isElsewhere = true;
    expectProblem(await ask(live(apiKey)), 503, 'credits_busy');
    around.entitlement.isElsewhere = false;
    expect((await ask(live(apiKey))).status).toBe(200);
    const { apiKey: other, keyRecord } = around.account.addKey();
    around.entitlement.limits.set(keyRecord.accountId, 50);
    await ask(live(other, '&domainName=%20'));
    around.entitlement.isDown = true;
    try {
      expectProblem(await ask(live(other)), 503, 'service_unavailable');
    } finally {
      around.entitlement.isDown = false;
    }
  });

  it('S86: an unlisted route cannot be added, and requests for it get 404', async () => {
    const app = fastify();
    const pages = await ErrorPages.load();
    const docs = ApiDocs.of([], { apiUrl: 'https://api.example.test', dashboardUrl: '' });
    const dashboardUrl = 'https://billing.example.test';
    const mcp = undefined as never;
    const parts = { pages, docs, health: new Health(), mcp, dashboardUrl };
    addPublicRoutes(app, { ...parts, trustedProxies: new BlockList() });
    expect(() => app.get('/internal/keys', () => 'open')).toThrow('/internal/keys');
    await app.close();
    const paths = ['/', '/v2.0', '/v2.0/whois', '/internal/keys', '/ready', '/docs/x', '/errors/'];
    for (const path of paths) expectProblem(await ask(path), 404, 'not_found');
  });

  it('S104: the list of errors is rendered only once, however often it is requested', async () => {
    const pages = await ErrorPages.load();
    const list = pages.list('https://dashboard.example');
    const read = jest.spyOn(RegExp.prototype, 'exec');
    const again = pages.list('https://dashboard.example');
    const readings = read.mock.calls.length;
    read.mockRestore();
    expect([again, readings]).toEqual([list, 0]);
  });

  it('the root page links to the documentation and the dashboard for browsers, and gives programs the addresses', async () => {
    const page = await ask('/', { accept: 'text/html,*/*' });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toMatch(/<a href="https?:\/\/[^"]+">The dashboard/);
    expect(page.text).toContain('<a href="/docs">');
    for (const accept of [undefined, '*/*', 'application/json']) {
      const answer = await ask('/', accept === undefined ? {} : { accept });
      expectProblem(answer, 404, 'not_found');
      const { openapi, docs, dashboard } = answer.json;
      expect(dashboard).toMatch(/^https?:/);
      for (const path of [openapi, docs]) expect((await ask(String(path))).status).toBe(200);
    }
  });

  it('the icon of the browser tab is served', async () => {
    const { status, headers } = await ask('/favicon.ico', { accept: 'image/*' });
    expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml']);
  });

  it.each(['/', '/docs', '/errors', '/errors/rate_limited'])(
    'S115: the page at %s is isolated from pages of other origins',
    async (path) => {
      const { status, headers } = await ask(path, { accept: 'text/html' });
      expect([status, headers['cross-origin-opener-policy']]).toEqual([200, 'same-origin']);
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    },
  );

  it('S115: a browser that has seen a page of an origin with https uses only https from then on', async () => {
    const { headers } = await ask('/docs');
    expect(headers['strict-transport-security']).toMatch(/max-age=\d{8}/);
    const { apiUrl } = await around.startGateway({
      BASE_URL: 'http://api.example.test',
      GATEWAY_JOURNAL: `${around.folder}/plain`,
    });
    const { headers: plain } = await fetch(`${apiUrl}/docs`);
    expect(plain.get('strict-transport-security')).toBeNull();
  });

  it('the page of an error code is served as Markdown or HTML, and an unknown code has none', async () => {
    const page = await ask('/errors/rate_limited');
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/^# Too many requests/);
    const html = await ask('/errors/rate_limited', { accept: 'text/html' });
    expect(html.headers['content-security-policy']).toContain("default-src 'none'");
    expect([page.headers.vary, html.headers.vary]).toEqual(['Accept', 'Accept']);
    expectProblem(await ask('/errors/no_such_code'), 404, 'not_found');
  });
});
