import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { CSRF_COOKIE, readCookie } from './cookies.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());

/** Sends a body to a page that anyone may open. @returns the refusal. */
async function refusalOf(type: string, body: string, wanted = 400): Promise<string> {
  const headers = { ...under.ours, 'content-type': type };
  const { status, text } = await under.send('POST', '/log-in', headers, body);
  expect(status).toBe(wanted);
  return text;
}

it('S94: a form with too many fields is refused before its fields are read', async () => {
  const form = (count: number) => Array.from({ length: count }, (_, n) => `f${n}=%zz`).join('&');
  const type = 'application/x-www-form-urlencoded';
  expect(await refusalOf(type, form(200))).toContain('is not known here');
  expect(await refusalOf(type, form(201))).toContain('must not have more than 200 fields');
});

it('S94: JSON with too many values is refused before it is parsed', async () => {
  const members = (count: number) => Array.from({ length: count }, (_, n) => `"${n}":0`).join(',');
  const type = 'application/json';
  expect(await refusalOf(type, `{${members(4_000)}`)).not.toContain('values');
  expect(await refusalOf(type, `{${members(5_001)}`, 413)).toContain('more than 5000 values');
});

it.each([
  ['deep nesting', `${'['.repeat(30)}${']'.repeat(30)}`, 400, 'nested deeper than 20'],
  ['a long list', `[${'1,'.repeat(1_000)}1]`, 413, 'more than 1000 items'],
  ['a long text', JSON.stringify('x'.repeat(10_241)), 400, 'longer than 10240 characters'],
])('S94: JSON with %s is refused', async (_, value, status, reason) => {
  expect(await refusalOf('application/json', `{"email":${value}}`, status)).toContain(reason);
});

it('a call with too many parameters is refused before its parameters are checked', async () => {
  const call = async (count: number) => {
    const query = Array.from({ length: count }, (_, n) => `page_siz${n}`).join('&');
    const { status, text } = await under.send('GET', `/api/keys?${query}`, under.ours);
    expect(status).toBe(400);
    return text;
  };
  expect(await call(32)).toContain('there is no such parameter');
  const refusal = await call(33);
  expect(refusal).toContain('must not have more than 32 parameters');
  expect(refusal).not.toContain('there is no such parameter');
});

it('S104: thousands of empty pairs in a Cookie header are not read one by one', () => {
  const token = 'c'.repeat(43);
  const trim = jest.spyOn(String.prototype, 'trim');
  const header = `${';'.repeat(10_000)} ${CSRF_COOKIE}=${token} ${'; '.repeat(2_000)}`;
  expect(readCookie(header, CSRF_COOKIE)).toBe(token);
  expect(trim.mock.calls.length).toBeLessThan(5);
  trim.mockRestore();
  expect(readCookie(`${header}${CSRF_COOKIE}=${token}`, CSRF_COOKIE)).toBeUndefined();
  expect(readCookie(`x${CSRF_COOKIE}=${token}`, CSRF_COOKIE)).toBeUndefined();
});
