import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

it('S66: a webhook is added by a form, and its address and log are shown as text', async () => {
  const id = '019a5f00-0000-7000-8000-000000000021';
  const url = 'https://hooks.example/?<script>';
  const webhook = { id, url, events: ['job.completed'], state: 'active' };
  const delivery = {
    id,
    type: '<b>',
    state: 'failed',
    tries: 1,
    created_at: '',
    next_try_at: '2026-11-24T18:05:00.000Z',
    fault_detail: '<i>',
  };
  const body = {
    ...webhook,
    secret: 'whsec_<once>',
    webhooks: [webhook],
    deliveries: [delivery],
    paging: { next_cursor: null },
  };
  under.answerWith(body);
  const typed = new URLSearchParams({
    url,
    'event_job.completed': 'on',
    'event_credits.low': 'on',
  });
  const made = await under.post('/webhooks', typed.toString());
  expect(made.status).toBe(200);
  expect(made.text).toContain('whsec_&lt;once&gt;');
  const [{ line, body: sent }] = under.arrived;
  expect(line).toBe('POST /internal/webhooks');
  expect(JSON.parse(String(sent))).toEqual({ url, events: ['job.completed', 'credits.low'] });
  const log = await under.get(`/webhooks/${id}`);
  expect(log.status).toBe(200);
  expect(log.text).toContain('2026-11-24 18:05 UTC');
  for (const { text } of [made, log]) expect(text).not.toMatch(/<script>|<b>|<i>/);
});

it('a new secret is shown even if the list of webhooks cannot be read', async () => {
  under.answers.set('POST /internal/webhooks/1/rotate', { secret: 'whsec_once' });
  under.answer = { ...under.answer, body: Buffer.from('away') };
  const { status, text } = await under.post('/webhooks/1/rotate');
  expect([status, text]).toEqual([200, expect.stringContaining('whsec_once')]);
  expect(text).not.toContain('No webhooks yet');
});
