import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  AccountUnderTest,
  PASSWORD,
  type Registered,
} from '../../../../test/account/account-under-test.js';
import { PasswordQueueFull } from '../passwords/passwords.errors.js';
import { PasswordsService } from '../passwords/passwords.service.js';

const EMAIL = 'ada@example.com';

describe('passwords that are not checked', () => {
  let account: AccountUnderTest;
  let owner: Registered;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
    owner = await account.register(EMAIL);
  });
  afterAll(() => account.stop());

  it.each([
    ['log-in', { email: EMAIL, password: PASSWORD }],
    ['session/reauthenticate', { password: PASSWORD }],
  ])('a full queue does not count as wrong guesses: POST %s', async (path, body) => {
    const own = path === 'log-in' ? {} : { token: owner.token };
    const send = () => account.dashboard('POST', path, { ...own, body });
    const matches = jest
      .spyOn(account.get(PasswordsService), 'matches')
      .mockRejectedValue(new PasswordQueueFull());
    for (let i = 0; i < 8; i++) expect((await send()).body.code).toBe('too_busy');
    matches.mockRestore();
    expect((await send()).status).toBe(200);
  });

  it('a full queue does not count towards the hundred wrong passwords after which new networks must wait', async () => {
    const body = { email: EMAIL, password: PASSWORD };
    const logIn = (address: string) =>
      account.dashboard('POST', 'log-in', { body, headers: { 'x-client-address': address } });
    const matches = jest
      .spyOn(account.get(PasswordsService), 'matches')
      .mockRejectedValue(new PasswordQueueFull());
    for (let i = 0; i < 101; i++) {
      expect((await logIn(`198.51.100.${i}`)).body.code).toBe('too_busy');
    }
    matches.mockRestore();
    expect((await logIn('203.0.113.9')).status).toBe(200);
  });
});
