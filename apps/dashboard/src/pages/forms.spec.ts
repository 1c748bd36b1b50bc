import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

it('the errors of a rejected form use the page’s labels, and the form keeps all input except passwords', async () => {
  const errors = [
    { field: 'first_name', message: 'must be a name' },
    { field: 'daily_credit_cap', message: 'must be a whole number' },
  ];
  const refused = { code: 'invalid_request', status: 400, detail: 'first_name: …', errors };
  under.answerWith(refused, 400);
  const typed = { first_name: 'Ada 7', email: 'ada@', password: 'a sentence is fine' };
  const signUp = await under.post('/sign-up', new URLSearchParams(typed).toString());
  expect(signUp.status).toBe(400);
  expect(signUp.text).toContain(
    'First name must be a name. Credits a day at most must be a whole number.',
  );
  expect(signUp.text).not.toContain('first_name:');
  expect(signUp.text).toContain('value="Ada 7"');
  expect(signUp.text).toContain('value="ada@"');
  expect(signUp.text).not.toContain(typed.password);
  const reset = await under.post('/password/forgot', 'email=ada@');
  expect(reset.text).toContain('value="ada@"');
  const key = 'name=robot&environment=test&daily_credit_cap=many&scope_dns=on';
  const { text } = await under.post('/keys', key);
  expect(text).toContain('value="robot"');
  expect(text).toContain('value="many"');
  expect(text).toMatch(/value="test"\s+selected/);
  expect(text.match(/<input type="checkbox"[^>]*checked/g)).toHaveLength(1);
});

it('S90: a form with an unexpected field is rejected', async () => {
  for (const [path, body] of [
    ['/log-in', 'email=a&password=b&is_admin=1'],
    ['/keys', 'name=a&environment=test&scopes=all'],
    ['/account/restore', 'account_id=1'],
  ]) {
    const { status, headers, text } = await under.post(path, body);
    expect([path, status, headers['content-type']]).toEqual([
      path,
      400,
      'text/html; charset=utf-8',
    ]);
    expect(text).toContain('is not known here');
  }
  expect(under.arrived).toEqual([]);
});

it('a form with a repeated field is rejected', async () => {
  const { status } = await under.post('/log-in', 'email=a&email=b');
  expect(status).toBe(400);
  expect(under.arrived).toEqual([]);
});
