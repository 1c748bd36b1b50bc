import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { ServiceTokens, SystemClock, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { ACCOUNT_ID, DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';
import { HARNESS_SECRET } from '../../../../test/stand-ins/harness-secret.js';

let under: GatewayUnderTest;
let dashboard: DashboardUnderTest;

beforeAll(async () => {
  under = await GatewayUnderTest.start();
  dashboard = await DashboardUnderTest.start(undefined, { GATEWAY_URL: under.gateway.url });
});
afterAll(async () => {
  await dashboard?.stop();
  await under?.stop();
});
beforeEach(() => {
  under.forget();
  dashboard.session = { ...dashboard.session, accountId: newId() };
});

async function search(operation: string, fields: Record<string, string>) {
  const headers = { ...dashboard.ours, 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(fields).toString();
  const answer = await dashboard.send('POST', `/search/${operation}`, headers, body);
  return { status: answer.status, page: answer.body.toString() };
}
const accountId = () => dashboard.session.accountId;

it('a lookup in the dashboard costs as much as with a key, and is logged under the account', async () => {
  const { status, page } = await search('whois.live', { domainName: 'asked.example' });
  expect([status, page]).toEqual([200, expect.stringContaining('Cost 1 credit')]);
  expect(page).toContain('Example Holdings Zürich');
  const { entitlement, lookup } = under.around;
  await waitFor('the charge', () => entitlement.charged(accountId()) === 1);
  const rows = await under.logRows(accountId(), 1);
  const expected = { key_id: accountId(), subject: 'asked.example', credits: 1, status: 200 };
  expect(rows).toEqual([expect.objectContaining({ ...expected, operation: 'whois.live' })]);
  const again = await search('whois.live', { domainName: 'asked.example' });
  expect(again.page).toContain('Free: a repeat of the same request within one minute.');
  expect(lookup.questions.every(({ path }) => path.includes('asked.example'))).toBe(true);
});

it('S99: the dashboard and the keys of an account share its rate limit', async () => {
  const { apiKey, keyRecord } = under.around.account.addKey();
  dashboard.session = { ...dashboard.session, accountId: keyRecord.accountId };
  const ask = (name: string) =>
    under.ask(`/v2.0/whois/live?domainName=${name}.example`, { 'x-api-key': apiKey });
  const { headers } = await ask('first');
  const left = Number(headers['x-ratelimit-remaining-requests']);
  expect((await search('whois.live', { domainName: 'second.example' })).status).toBe(200);
  const third = await ask('third');
  expect(Number(third.headers['x-ratelimit-remaining-requests'])).toBe(left - 2);
});

it('samples are free of charge', async () => {
  const { status, page } = await search('whois.live', { domainName: 'registered.test' });
  expect([status, page]).toEqual([200, expect.stringContaining('Free of charge.')]);
  expect(under.around.entitlement.charged(accountId())).toBe(0);
});

it('without enough credits, nothing is looked up, and the page links to the page that sells credits', async () => {
  under.around.entitlement.balances.set(accountId(), 0);
  const { status, page } = await search('whois.live', { domainName: 'poor.example' });
  expect(status).toBe(402);
  expect(page).toContain('href="/credits">Buy credits');
  expect(under.around.lookup.questions).toEqual([]);
});

it('beyond the rate limit, the page says when to try again, and links to plans with higher limits', async () => {
  under.around.entitlement.limits.set(accountId(), 1);
  expect((await search('whois.live', { domainName: 'one.example' })).status).toBe(200);
  const { status, page } = await search('whois.live', { domainName: 'two.example' });
  expect(status).toBe(429);
  expect(page).toMatch(/Your plan allows 1 live request a minute, .*continue in \d+ seconds?\./);
  expect(page).toContain('href="/plans"');
  expect(page).not.toContain('Retry-After');
});

it('on the page, a rejection names the field by its label', async () => {
  const { status, page } = await search('whois.live', { domainName: 'a.example', max_age: 'old' });
  expect([status, page]).toEqual([400, expect.stringContaining('Maximum age in seconds must be')]);
});

it('S86: only the dashboard may call without a key, and only operations with a page', async () => {
  const tokens = new ServiceTokens(HARNESS_SECRET, new SystemClock());
  const ask = async (caller: 'dashboard' | 'worker', operation: string) => {
    const answer = await fetch(`${under.gateway.url}/internal/questions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokens.issue(caller, 'gateway')}`,
        'content-type': 'application/json',
        'x-account-id': ACCOUNT_ID,
      },
      body: JSON.stringify({ operation, query: 'domainName=a.example', environment: 'live' }),
    });
    return answer.status;
  };
  expect(await ask('dashboard', 'whois.live')).toBe(200);
  expect(await ask('worker', 'whois.live')).toBe(403);
  expect(await ask('dashboard', 'uploads.create')).toBe(404);
  expect(await ask('dashboard', 'keys.create')).toBe(404);
  expect(await ask('dashboard', 'api-keys.list')).toBe(403);
});
