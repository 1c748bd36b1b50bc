import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { SiteTurns } from '#libs/public-http';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start(undefined, { DASHBOARD_TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => under?.stop());

it('requests to the dashboard are grouped by the site that sent them', async () => {
  const begin = jest.spyOn(SiteTurns.prototype, 'begin');
  const from = (address: string) => under.send('GET', '/prices', { 'x-forwarded-for': address });
  expect((await from('192.0.2.7')).status).toBe(200);
  expect((await from('2001:db8:1:2::3')).status).toBe(200);
  expect(begin.mock.calls.map(([site]) => site)).toEqual(['192.0.2.7', '2001:db8:1::/48']);
  begin.mockRestore();
});
