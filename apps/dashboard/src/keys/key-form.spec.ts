import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { onePage } from '#libs/contracts';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

it('a key is created and changed with the scopes and the daily limit of the form', async () => {
  const asked = (name: string) => {
    const { line, body } = under.arrived.find((call) => call.line.startsWith(name))!;
    return [line, JSON.parse(String(body))];
  };
  const key = {
    id: '0197-a',
    name: 'Mine',
    masked: 'dds_test_…a1b2',
    state: 'active',
    rank: null,
  };
  const listed = {
    ...key,
    scopes: ['whois', 'dns'],
    daily_credit_cap: 2_500,
    last_used_at: null,
  };
  const paging = { ...onePage(2, 1), has_next: true, next_cursor: 'MDE5' };
  under.answerWith({ keys: [listed], paging });
  const fields = 'name=a&environment=test&scope_whois=on&scope_account%3Aread=on';
  await under.post('/keys', `${fields}&daily_credit_cap=+50`);
  expect(asked('POST')).toEqual([
    'POST /internal/dashboard/keys',
    {
      name: 'a',
      environment: 'test',
      scopes: ['whois', 'account:read'],
      daily_credit_cap: 50,
    },
  ]);
  const changes = 'name=b&scope_dns=on&daily_credit_cap=';
  const changed = await under.post('/keys/0197-a', changes);
  expect([changed.status, changed.headers.location]).toEqual([303, '/keys']);
  expect(asked('PATCH')).toEqual([
    'PATCH /internal/dashboard/keys/0197-a',
    { name: 'b', scopes: ['dns'], daily_credit_cap: null },
  ]);
  // Null would remove the limit.
  under.arrived.length = 0;
  await under.post('/keys/0197-a', 'name=b&daily_credit_cap=many');
  expect(asked('PATCH')[1]).toMatchObject({ scopes: [], daily_credit_cap: 'many' });
  // As a number, it would be infinite, which is null in JSON.
  const huge = '9'.repeat(400);
  under.arrived.length = 0;
  await under.post('/keys/0197-a', `name=b&daily_credit_cap=${huge}`);
  expect(asked('PATCH')[1]).toMatchObject({ daily_credit_cap: huge });
  const list = await under.get('/keys');
  expect(list.text).toContain('<span>whois, dns</span>');
  expect(list.text).toContain('at most 2,500 credits a day');
  expect(list.text).toContain('<a href="/keys?cursor=MDE5">');
  under.answers.set('GET /internal/dashboard/keys/0197-a', listed);
  const { text } = await under.get('/keys/0197-a');
  expect(text).toMatch(/name="scope_dns"\s+checked/);
  expect(text).not.toMatch(/name="scope_ip"\s+checked/);
  expect(text).toMatch(/name="daily_credit_cap"\s+type="text"\s+value="2500"/);
});

it('S131: the form of a new key selects every scope except `keys:write`', async () => {
  under.answerWith({ keys: [], paging: onePage(0, 50) });
  const { text } = await under.get('/keys');
  expect(text).toMatch(/name="scope_typos"\s+checked/);
  expect(text).toMatch(/name="scope_keys:write"\s+\/?>/);
});

it('before and after a surplus live key is created, the page says that the key is paused and how to activate it', async () => {
  under.answers.set('GET /internal/allowance', { keys: 1 });
  under.answerWith({ keys: [], paging: onePage(0, 1), key: 'dds_live_x', rank: 2 });
  const { text: before } = await under.get('/keys');
  expect(before).toContain('Your plan allows 1 live key. Further live keys are paused');
  const { text: after } = await under.post('/keys', 'name=a&environment=live');
  expect(after).toContain('This key is paused: your plan allows 1 live key');
  expect(after).toContain('It works once you revoke an older live key, or buy');
});

it('S102: keys are searched on a limited number of pages, and one key is read by one call', async () => {
  const paging = { ...onePage(50, 50), has_next: true, next_cursor: 'MDE5' };
  under.answerWith({ keys: [], paging });
  const asked = () =>
    under.arrived.filter(({ line }) => line.startsWith('GET /internal/dashboard/keys'));
  const { text } = await under.get('/keys?search=mine&live=yes');
  expect(asked()).toHaveLength(20);
  // The search can be continued.
  const older = '/keys?search=mine&live=yes&cursor=MDE5';
  expect(text).toContain(`href="${older.replaceAll('&', '&amp;')}"`);
  await under.get(older);
  expect(asked()[20].line).toBe('GET /internal/dashboard/keys?cursor=MDE5');
  under.arrived.length = 0;
  expect((await under.get('/keys/0197-z')).status).toBe(404);
  expect(asked()).toHaveLength(1);
});

it('a new key is shown even if the list of keys cannot be read', async () => {
  under.answers.set('POST /internal/dashboard/keys', { key: 'dds_live_once', rank: 1 });
  under.answer = { ...under.answer, body: Buffer.from('away') };
  const { status, text } = await under.post('/keys', 'name=a&environment=live');
  expect([status, text]).toEqual([200, expect.stringContaining('dds_live_once')]);
  expect(text).not.toContain('No key found');
});

it('a form that is sent again says that its key was created before, and shown only then', async () => {
  under.answers.set('POST /internal/dashboard/keys', { id: '0197-a', rank: 1 });
  under.answers.set('GET /internal/dashboard/keys', { keys: [], paging: onePage(0, 50) });
  const { text } = await under.post('/keys', 'name=a&environment=live');
  expect(text).toContain('This form was sent before and has already created its key');
});

it('the usage of a key leads to the requests of the same days', async () => {
  const key = { id: '0197-a', scopes: [], daily_credit_cap: null, last_used_at: null };
  under.answerWith({ keys: [key], paging: onePage(1, 50) });
  const usage = { from: '2026-11-01', to: '2026-11-30', within_ms: [], days: [] };
  under.answers.set('GET /internal/usage/keys', usage);
  const { text } = await under.get('/keys');
  expect(text).toContain('href="/requests?day=2026-11-30&amp;from=2026-11-01&amp;key_id=0197-a"');
});
