import { expect, it } from '@jest/globals';
import type { PlanPreviewAnswer, SubscriptionAnswer } from '#libs/contracts';
import { InvalidRequest } from '#libs/platform';
import type { Markup } from '#libs/public-http';
import type { DashboardCalls, PageCall } from '../dashboard-calls.js';
import type { PageVisit } from '../pages/page-visit.js';
import { SubscriptionPagesController } from './subscriptions.controller.js';
import type { ChangePlanForm } from './subscriptions.dto.js';

const OWNED = {
  line: 'api',
  state: 'active',
  sku: 'api-15K-month',
  quantity: 1,
  interval: 'month',
  amount_micros: '27000000',
  currency: 'USD',
} as SubscriptionAnswer;
const PREVIEW: PlanPreviewAnswer = {
  effect: 'now',
  due_micros: '47000000',
  tax_micros: '0',
  currency: 'USD',
  from: '2026-11-22T10:20:00.000Z',
  renewal_micros: '75000000',
  renews_at: '2026-12-22T10:00:00.000Z',
  credits_now: 34_000,
  drops_change: null,
};

it('a price that is more than 15 minutes old is calculated again before anything is charged', async () => {
  const refusal = new InvalidRequest([{ field: 'from', message: 'must be recent' }]);
  const visit = {
    context: { csrfToken: 'token', isLoggedIn: true, hasMailbox: false },
    session: {},
    billing: async ({ path }: PageCall) => {
      if (path.endsWith('/change')) return { status: 400, body: undefined, refusal };
      return { status: 200, body: path.endsWith('/preview') ? PREVIEW : OWNED };
    },
    show: ({ text }: Markup) => text,
  } as unknown as PageVisit;
  const calls = { balance: async () => Promise.reject(new Error('away')) };
  const pages = new SubscriptionPagesController(calls as unknown as DashboardCalls);
  const form = { sku: 'api-50K-month', quantity: '1', from: '2026-11-22T10:00:00.000Z' };
  const text = await pages.change(visit, form as ChangePlanForm, '0198-s');
  expect(text).toContain('so the price was calculated again');
  expect(text).toContain('$47.00</strong> due now');
  expect(text).toContain('name="from" value="2026-11-22T10:20:00.000Z"');
});
