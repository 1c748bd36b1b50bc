import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { DashboardUnderTest, textOf } from '../../../../test/dashboard/dashboard-under-test.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

it('the account page names the credits and plans that a deletion ends', async () => {
  under.answers.set('GET /internal/balance', { spendable: 12_000, reserved: 345 });
  const plan = { sku: 'api-15K-month', quantity: 1, is_current: true };
  const old = { sku: 'domainer-dns-month', quantity: 1, is_current: false };
  under.answers.set('GET /internal/subscriptions', { subscriptions: [plan, old] });
  const text = textOf(await under.get('/account'));
  expect(text).toContain('those of plans: <strong>12,345</strong>.');
  expect(text).toContain('of their period: <strong>API plan 15K</strong>.');
  expect(text).toContain('neither extended nor refunded');
});

it('the account page is shown even if the credits and plans cannot be read', async () => {
  under.answerWith({ code: 'service_unavailable', status: 503, detail: 'Away.' }, 503);
  under.answers.set('GET /internal/dashboard/account', { first_name: 'Ada', email: 'a@b.example' });
  const { text } = await under.get('/account');
  expect(text).toContain('Delete the account');
  expect(text).not.toContain('NaN');
});
