import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { AccountUnderTest, type Registered } from '../../../../test/account/account-under-test.js';

const EMAIL = 'ada@example.com';

describe('the states in the audit log', () => {
  let account: AccountUnderTest;
  let owner: Registered;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
    owner = await account.register(EMAIL);
  });
  afterAll(() => account.stop());

  const hashesOf = (action: string) =>
    account.database.query<{ before: string | null; after: string }>(
      `select encode(before_hash, 'hex') as before, encode(after_hash, 'hex') as after from audit
       where chain = $1 and action = $2 order by position`,
      [owner.accountId, action],
    );
  const rename = (first_name: string) =>
    account.dashboard('PATCH', 'account', { token: owner.token, body: { first_name } });

  it('a guess at a name and an address cannot be tested without the data key', async () => {
    for (const name of ['Grace', 'Ada', 'Grace']) expect((await rename(name)).status).toBe(200);
    const [first, second, third] = await hashesOf('profile.updated');
    expect([second.before, third.after]).toEqual([first.after, first.after]);
    const guess = JSON.stringify({ firstName: 'Grace', address: EMAIL });
    expect(first.after).not.toBe(createHash('sha256').update(guess).digest('hex'));
  });

  it('an operator’s action is recorded even if the data key is destroyed', async () => {
    await account.database.query('delete from data_keys where account_id = $1', [owner.accountId]);
    expect(await account.operator('suspend', owner.accountId, { reason: 'a debt' })).toEqual({
      hasChanged: true,
    });
    expect(await hashesOf('account.suspended')).toEqual([
      { before: null, after: expect.any(String) },
    ]);
  });
});
