import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { SiteTurns } from './site-turns.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start(undefined, { DASHBOARD_TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => under?.stop());

it('S104: one request per site starts in each turn of the event loop, and requests of other sites do not wait', async () => {
  const turns = new SiteTurns();
  const started: string[] = [];
  const begin = (site: string) => turns.begin(site, () => started.push(site));
  for (let n = 0; n < 3; n++) begin('many');
  begin('one');
  expect(started).toEqual(['many', 'one']);
  await setImmediate();
  begin('one');
  expect(started).toEqual(['many', 'one', 'many', 'one']);
  await setImmediate();
  expect(started).toEqual(['many', 'one', 'many', 'one', 'many']);
  // A site without waiting requests is forgotten.
  for (let n = 0; n < 3; n++) await setImmediate();
  begin('many');
  expect(started.at(-1)).toBe('many');
});

it('requests to the dashboard are grouped by the site that sent them', async () => {
  const begin = jest.spyOn(SiteTurns.prototype, 'begin');
  const from = (address: string) => under.send('GET', '/prices', { 'x-forwarded-for': address });
  expect((await from('192.0.2.7')).status).toBe(200);
  expect((await from('2001:db8:1:2::3')).status).toBe(200);
  expect(begin.mock.calls.map(([site]) => site)).toEqual(['192.0.2.7', '2001:db8:1::/48']);
  begin.mockRestore();
});
