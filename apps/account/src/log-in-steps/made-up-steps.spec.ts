import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AccountUnderTest } from '../../../../test/account/account-under-test.js';

let account: AccountUnderTest;

beforeAll(async () => {
  account = await AccountUnderTest.start();
});
afterAll(() => account.stop());

it.each([
  ['log-in/code', { code: '123456' }, '198.51.1.7'],
  ['log-in/return', { query: '?code=a&state=b' }, '198.51.2.7'],
  ['log-in/passkey', { credential: '{}' }, '198.51.3.7'],
])(
  'S121: after 120 invented tokens of log-ins within an hour, %s answers a network with 429, without any statement',
  async (path, body, address) => {
    const headers = { 'x-client-address': address, 'x-step-token': 'A'.repeat(43) };
    const ask = async () => (await account.dashboard('POST', path, { body, headers })).body.code;
    const codes: string[] = [];
    for (let i = 0; i < 121; i++) codes.push(await ask());
    expect(codes).toEqual([
      ...Array.from({ length: 120 }, () => 'log_in_over'),
      'too_many_attempts',
    ]);
    const statements = account.statements();
    expect(await ask()).toBe('too_many_attempts');
    expect(statements.texts()).toEqual([]);
  },
);
