import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import {
  AccountUnderTest,
  PASSWORD,
  type Registered,
} from '../../../../test/account/account-under-test.js';

describe('the number of sessions', () => {
  let account: AccountUnderTest;
  let owner: Registered;
  let email: string;
  let count = 0;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
  });
  afterAll(() => account.stop());
  beforeEach(async () => {
    email = `person${++count}@example.com`;
    owner = await account.register(email);
  });

  const logIn = () => account.dashboard('POST', 'log-in', { body: { email, password: PASSWORD } });
  const entriesOf = (action: string) =>
    account.database.query('select from audit where chain = $1 and action = $2', [
      owner.accountId,
      action,
    ]);
  const statusOfOwner = async () =>
    (await account.dashboard('GET', 'session', { token: owner.token })).status;

  /** Adds newer sessions that were last used 25 hours earlier. */
  async function addOthers(number: number, endedAt: 'null' | 'last_seen_at'): Promise<void> {
    await account.database.query(
      `insert into sessions (id, account_id, person_id, token_hash, origin, network_hash, created_at,
         last_seen_at, authenticated_at, ended_at)
       select more.id, account_id, person_id, sha256(more.id::text::bytea), origin, network_hash,
         created_at, last_seen_at - interval '25 hours', authenticated_at, ${endedAt}
       from sessions, unnest($2::uuid[]) more (id) where account_id = $1`,
      [owner.accountId, Array.from({ length: number }, () => newId())],
    );
  }

  it('sessions that have expired do not end an open one, and are not recorded as ended', async () => {
    await addOthers(60, 'null');
    expect((await logIn()).status).toBe(200);
    expect(await statusOfOwner()).toBe(200);
    expect(await entriesOf('session.oldest-ended')).toEqual([]);
  });

  it('S26: a log-in ends the earlier session of the same browser, and no other session', async () => {
    const elsewhere = String((await logIn()).headers['x-set-session']);
    const again = await account.dashboard('POST', 'log-in', {
      token: owner.token,
      body: { email, password: PASSWORD },
    });
    expect(await statusOfOwner()).toBe(401);
    const token = String(again.headers['x-set-session']);
    for (const open of [token, elsewhere]) {
      expect((await account.dashboard('GET', 'session', { token: open })).status).toBe(200);
    }
    const { body } = await account.dashboard('GET', 'sessions', { token });
    expect(body.sessions).toHaveLength(2);
  });

  it('S26: a log-in to another account ends the session that the browser had', async () => {
    const other = { email: `other${count}@example.com`, password: PASSWORD };
    const { token } = await account.register(other.email);
    const body = { email, password: PASSWORD };
    expect((await account.dashboard('POST', 'log-in', { token, body })).status).toBe(200);
    expect((await account.dashboard('GET', 'session', { token })).status).toBe(401);
    expect(await statusOfOwner()).toBe(200);
  });

  it('ending all other sessions is recorded only if there are others', async () => {
    await logIn();
    for (const ended of [1, 0, 0]) {
      const { body } = await account.dashboard('DELETE', 'sessions', { token: owner.token });
      expect(body).toEqual({ ended });
    }
    expect(await entriesOf('session.others-ended')).toHaveLength(1);
  });

  it('an open session is kept, however many later ones have ended', async () => {
    await addOthers(600, 'last_seen_at');
    expect((await logIn()).status).toBe(200);
    expect(await statusOfOwner()).toBe(200);
    const [{ kept }] = await account.database.query<{ kept: number }>(
      'select count(*)::int as kept from sessions where account_id = $1',
      [owner.accountId],
    );
    expect(kept).toBe(500);
  });
});
