import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/platform';
import { AccountUnderTest, PASSWORD } from './account-under-test.js';

const EMAIL = 'refused@example.com';
const ADDRESS = '198.51.100.7';

describe('repeated refusals', () => {
  let account: AccountUnderTest;
  let token: string;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
    ({ token } = await account.register(EMAIL));
  });
  afterAll(() => account.stop());

  /** Repeats a call. @returns the actions in the audit log's entries about it. */
  async function entriesOf(times: number, call: () => Promise<unknown>): Promise<string[]> {
    const actions = () =>
      account.database.query<{ id: string; action: string }>('select id, action from audit');
    const before = new Set((await actions()).map(({ id }) => id));
    for (let n = 0; n < times; n++) await call();
    const left = (await actions()).filter(({ id }) => !before.has(id));
    return left.map(({ action }) => action);
  }
  async function post(path: string, body: object, address?: string) {
    const headers: Record<string, string> = address ? { 'x-client-address': address } : {};
    const answer = await account.dashboard('POST', path, { body, token, headers });
    token = String(answer.headers['x-set-session'] ?? token);
    return answer;
  }
  const logIn = () => post('log-in', { email: EMAIL, password: PASSWORD });

  it('S122: repeated refusals write three entries an hour', async () => {
    account.clock.advance(DAY_MS);
    const guess = () => post('log-in', { email: EMAIL, password: 'a wrong password' }, ADDRESS);
    for (let n = 0; n < 5; n++) await guess();
    const delayed = (await entriesOf(20, guess)).filter((action) => action === 'attempts.delayed');
    expect(delayed).toHaveLength(3);
    await logIn();
    account.clock.advance(11 * MINUTE_MS);
    const early = () => post('account/email', { email: 'next@example.com' });
    expect(await entriesOf(20, early)).toEqual(Array.from({ length: 3 }, () => 'session.refused'));
    account.clock.advance(HOUR_MS);
    expect(await entriesOf(1, early)).toEqual(['session.refused']);
  });

  it('S122: a correct password is refused after 60 attempts in an hour', async () => {
    await logIn();
    const again = () => post('session/reauthenticate', { password: PASSWORD });
    const left = await entriesOf(1, async () => {
      for (let n = 0; n < 60; n++) expect((await again()).status).toBe(200);
      for (let n = 0; n < 5; n++) expect((await again()).body.code).toBe('too_many_attempts');
    });
    expect(left.filter((action) => action === 'session.reauthenticated')).toHaveLength(60);
    expect(left.filter((action) => action === 'attempts.limited')).toHaveLength(1);
    account.clock.advance(HOUR_MS);
    expect((await again()).status).toBe(200);
  });
});
