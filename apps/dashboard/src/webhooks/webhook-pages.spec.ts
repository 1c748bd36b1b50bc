import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { DashboardUnderTest, textOf } from '../../../../test/dashboard/dashboard-under-test.js';

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
  expect(made.text).toContain('href="https://api.example/docs#webhooks.create"');
  const [{ line, body: sent }] = under.arrived;
  expect(line).toBe('POST /internal/webhooks');
  expect(JSON.parse(String(sent))).toEqual({ url, events: ['job.completed', 'credits.low'] });
  const log = await under.get(`/webhooks/${id}`);
  expect(log.status).toBe(200);
  expect(log.text).toContain('2026-11-24 18:05 UTC');
  for (const { text } of [made, log]) expect(text).not.toMatch(/<script>|<b>|<i>/);
});

it('the form for a webhook adds one, even if it is sent twice', async () => {
  under.answerWith({ webhooks: [], secret: 'whsec_once' });
  const [, key] = /name="idempotency_key" value="([^"]+)"/.exec(
    (await under.get('/webhooks')).text,
  )!;
  under.arrived.length = 0;
  const typed = new URLSearchParams({ url: 'https://hooks.example/', idempotency_key: key });
  const send = () => under.post('/webhooks', typed.toString());
  expect((await send()).text).toContain('whsec_once');
  under.answerWith({ webhooks: [] });
  expect(textOf(await send())).toContain('This form was sent before');
  const sent = under.arrived.filter(({ line }) => line === 'POST /internal/webhooks');
  expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual([key, key]);
});

it('a new secret is shown even if the list of webhooks cannot be read', async () => {
  under.answers.set('GET /internal/webhooks/1', { id: '1', previous_secret_until: null });
  under.answers.set('POST /internal/webhooks/1/rotate?previous=', { secret: 'whsec_once' });
  under.answer = { ...under.answer, body: Buffer.from('away') };
  const { status, text } = await under.post('/webhooks/1/rotate');
  expect([status, text]).toEqual([200, expect.stringContaining('whsec_once')]);
  expect(text).not.toContain('No webhooks yet');
});

it('the form for a new secret works once, so that a reload does not end the secret that the receiver has', async () => {
  const webhook = { id: '1', url: 'https://hooks.example/', events: [], state: 'active' };
  const until = (previous_secret_until: string | null) =>
    under.answers.set('GET /internal/webhooks/1', { ...webhook, previous_secret_until });
  until('2026-11-20T10:00:00.000Z');
  const asked = await under.get('/webhooks/1/rotate');
  expect(textOf(asked)).toContain('The present one also signs for another day');
  const [, previous] = /name="previous" value="([^"]+)"/.exec(asked.text)!;
  under.answerWith({ webhooks: [webhook], secret: 'whsec_new' });
  const sent = new URLSearchParams({ previous }).toString();
  const send = () => under.post('/webhooks/1/rotate', sent);
  expect((await send()).text).toContain('whsec_new');
  expect(under.changes()).toEqual([`POST /internal/webhooks/1/rotate?${sent}`]);
  until('2026-11-30T10:00:00.000Z');
  under.arrived.length = 0;
  const again = await send();
  expect([under.changes(), again.text.includes('whsec_new')]).toEqual([[], false]);
  expect(textOf(again)).toContain('has got a new secret since that page was opened');
});

it.each([
  ['2999-11-20T10:00:00.000Z', true],
  ['2001-11-20T10:00:00.000Z', false],
  [null, false],
])(
  'if the previous secret signs until %s, the page says that it ends: %s',
  async (previous_secret_until, isSaid) => {
    const webhook = { id: '1', url: 'https://hooks.example/', previous_secret_until };
    under.answers.set('GET /internal/webhooks/1', webhook);
    const text = textOf(await under.get('/webhooks/1/rotate'));
    expect(text.includes('the secret before the present one stops being used at once')).toBe(
      isSaid,
    );
  },
);

it('the events that were ticked stay ticked if the address of a webhook is rejected', async () => {
  const errors = [{ field: 'url', message: 'must begin with https://' }];
  const refused = { code: 'invalid_request', status: 400, detail: '', errors };
  under.answers.set('GET /internal/webhooks', { webhooks: [] });
  under.answerWith(refused, 400);
  const { text } = await under.post('/webhooks', 'url=http%3A%2F%2Fa&event_credits.low=on');
  expect(text).toMatch(/name="event_credits\.low"\s+checked/);
  expect(text).not.toMatch(/name="event_job\.completed"\s+checked/);
});
