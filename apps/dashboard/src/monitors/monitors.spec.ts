import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

const read = async (path: string) => (await under.get(path)).text;

async function sendForm(path: string, fields: Record<string, string>): Promise<object> {
  await under.post(path, new URLSearchParams(fields).toString());
  return JSON.parse(under.arrived.at(-1)!.body.toString()) as object;
}

it('the price of a shorter interval of a domain monitor is shown before it is chosen', async () => {
  const id = newId();
  const asked = await read('/monitors/new/domain');
  expect(asked).toContain('every 6 hours, included');
  expect(asked).toContain('every 15 minutes, for at most 92 credits a day');
  under.answers.set('POST /internal/monitors', { id });
  const typed = { domainName: 'example.com', interval_minutes: '30' };
  expect(await sendForm('/monitors/new/domain', typed)).toEqual({
    kind: 'domain',
    mail: false,
    domainName: 'example.com',
    interval_minutes: 30,
  });
  const paging = { next_cursor: null };
  under.answers.set(`GET /internal/monitors/${id}/events`, { events: [], paging });
  under.answers.set(`GET /internal/monitors/${id}`, {
    id,
    kind: 'domain',
    name: 'Shop',
    state: 'active',
    mail: true,
    watches: { domain_name: 'example.com', interval_minutes: 10 },
    price: { credits_per_check: 1, credits_per_day_max: 140, is_short_of_credits: true },
    checks: {
      dns_checked_at: null,
      dns_due_at: '2026-11-23T16:00:00.000Z',
      dns_problem_detail: null,
      whois_checked_at: null,
      whois_due_at: '2026-11-23T10:30:00.000Z',
      expiry_published: null,
      problem: 'upstream_timeout',
      problem_detail: 'The registry did not answer in time.',
    },
  });
  const shown = await read(`/monitors/${id}`);
  expect(shown).toContain('every 10 minutes, for at most 140 credits a day');
  expect(shown).toContain('Not enough credits');
  expect(shown).toMatch(/the first check is due at <time[^>]*>2026-11-23 16:00 UTC/);
  expect(shown).toContain('The registry did not answer in time.');
  expect(shown).not.toContain('upstream_timeout');
  const settings = { name: 'Shop', interval_minutes: '360' };
  expect(await sendForm(`/monitors/${id}/settings`, settings)).toEqual({
    name: 'Shop',
    mail: false,
    interval_minutes: 360,
  });
});

it('a found name in another script is shown with its A-labels, because it may look like the watched name', async () => {
  const id = newId();
  const event = {
    id,
    monitor_id: id,
    type: 'brand.match',
    at: '2026-11-21T10:10:00.000Z',
    domain_name: 'xn--80ak6aa92e.com',
    domain_unicode: 'аррӏе.com',
    match: { reason: 'looks_alike', value: 'apple' },
    state: 'new',
  };
  const monitor = { id, kind: 'brand', name: 'Apple', state: 'active', mail: true };
  const paging = { next_cursor: null };
  under.answers.set(`GET /internal/monitors/${id}/events`, { events: [event], paging });
  under.answers.set(`GET /internal/monitors/${id}`, { ...monitor, watches: { keyword: 'apple' } });
  expect(await read(`/monitors/${id}`)).toMatch(/аррӏе\.com<[^(]*\(xn--80ak6aa92e\.com\) found/);
});

it('S66: a monitor is created by a form, and its subject and findings are shown as text', async () => {
  const id = '019a5f00-0000-7000-8000-000000000031';
  const monitor = {
    id,
    kind: 'brand',
    name: '<script>',
    state: 'active',
    mail: true,
    watches: { keyword: '<b>', match: 'contains', own_domains: ['<i>'] },
  };
  const event = {
    id,
    monitor_id: id,
    type: 'brand.match',
    at: '2026-11-21T10:10:00.000Z',
    domain_name: '<b>.example',
    domain_unicode: '<b>.com',
    changes: [{ path: '<i>', before: [], after: ['<script>', 'a\u202eb'] }],
    match: { reason: 'keyword', value: '<b>\u200b' },
    state: 'new',
  };
  const body = {
    ...monitor,
    monitors: [monitor],
    events: [event],
    paging: { next_cursor: null },
  };
  under.answerWith(body);
  const asked = await under.get('/monitors/new/brand');
  expect(asked.text).toContain('action="/monitors/new/brand"');
  const [, key] = /name="idempotency_key" value="([^"]+)"/.exec(asked.text)!;
  const typed = new URLSearchParams({
    idempotency_key: key,
    keyword: 'acme',
    match: 'prefix',
    with_typos: 'on',
    tlds: 'com, de',
    own_domains: '',
  });
  const made = await under.post('/monitors/new/brand', typed.toString());
  expect([made.status, made.headers.location]).toEqual([303, `/monitors/${id}`]);
  const [{ line, headers, body: sent }] = under.arrived;
  expect([line, headers['idempotency-key']]).toEqual(['POST /internal/monitors', key]);
  expect(JSON.parse(String(sent))).toEqual({
    kind: 'brand',
    keyword: 'acme',
    match: 'prefix',
    with_typos: true,
    mail: false,
    include: [],
    exclude: [],
    own_domains: [],
    tlds: ['com', 'de'],
  });
  const state = new URLSearchParams({ state: 'ignored' }).toString();
  const marked = await under.post(`/monitors/${id}/events/${id}`, state);
  expect(marked.status).toBe(303);
  expect(under.arrived.at(-1)).toMatchObject({
    line: `PATCH /internal/monitors/${id}/events/${id}`,
    body: Buffer.from('{"state":"ignored"}'),
  });
  for (const path of ['/monitors', `/monitors/${id}`, `/monitors/${id}/delete`]) {
    const { status, text } = await under.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(text).not.toMatch(/<script>|<b>|<i>|\u202e|\u200b/);
  }
  expect((await under.get('/monitors/new/person')).status).toBe(404);
});
