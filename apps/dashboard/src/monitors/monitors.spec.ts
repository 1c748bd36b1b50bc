import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());

const read = async (path: string) =>
  (await under.send('GET', path, { cookie: under.cookie })).body.toString();

/** @returns the request that reaches the worker. */
async function sendForm(path: string, fields: Record<string, string>): Promise<object> {
  const type = 'application/x-www-form-urlencoded';
  const body = new URLSearchParams(fields).toString();
  await under.send('POST', path, { ...under.ours, 'content-type': type }, body);
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
    checks: { dns_checked_at: null, whois_checked_at: null, expiry_published: null, problem: null },
  });
  const shown = await read(`/monitors/${id}`);
  expect(shown).toContain('every 10 minutes, for at most 140 credits a day');
  expect(shown).toContain('Not enough credits');
  const settings = { name: 'Shop', interval_minutes: '360' };
  expect(await sendForm(`/monitors/${id}/settings`, settings)).toEqual({
    name: 'Shop',
    mail: false,
    interval_minutes: 360,
  });
});
