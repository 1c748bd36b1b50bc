import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

const BURST = 120;

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());

it('S102: the changes that an account makes have one limit for all services; it affects no other account, and neither reads, lookups nor revocations', async () => {
  const statuses: number[] = [];
  for (let count = 0; count < BURST + 30; count++) {
    const path = count % 2 === 0 ? '/monitors/a/pause' : '/subscriptions/a/undo';
    statuses.push((await under.post(path)).status);
  }
  const isAllowed = (status: number) => status !== 429;
  expect(statuses.slice(0, BURST).every(isAllowed)).toBe(true);
  expect(statuses.every(isAllowed)).toBe(false);
  under.arrived.length = 0;
  const { status, text, headers } = await under.post('/webhooks/a/test');
  expect([status, under.arrived, Number(headers['retry-after']) > 0]).toEqual([429, [], true]);
  expect(text).toContain('too many requests that change or start something');
  await under.post('/search/whois.live', 'domainName=a.example');
  expect(under.changes()).toEqual(['POST /internal/questions']);
  under.arrived.length = 0;
  under.answerWith({ monitors: [], paging: { next_cursor: null } });
  expect((await under.get('/monitors')).status).toBe(200);
  await under.post('/security/sessions/end-others');
  expect(under.changes()).toEqual(['DELETE /internal/dashboard/sessions']);
  under.session = { ...under.session, accountId: newId() };
  expect((await under.post('/webhooks/a/test')).status).not.toBe(429);
});
