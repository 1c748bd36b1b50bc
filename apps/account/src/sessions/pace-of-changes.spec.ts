import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HOUR_MS, newId } from '#libs/platform';
import {
  AccountUnderTest,
  PASSWORD,
  type Registered,
} from '../../../../test/account/account-under-test.js';
import { PasswordsService } from '../passwords/passwords.service.js';

const NEW_PASSWORD = 'nine yellow trumpets';

describe('the rate of changes', () => {
  let account: AccountUnderTest;
  let owner: Registered;
  let email: string;
  let count = 0;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
  });
  afterAll(() => account.stop());
  beforeEach(async () => {
    account.clock.advance(HOUR_MS);
    email = `owner${++count}@example.com`;
    owner = await account.register(email);
  });

  const call = (method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: object) =>
    account.dashboard(method, path, { body, token: owner.token });
  const rename = (name = 'Ada') => call('PATCH', 'account', { first_name: name });
  const createKey = () => call('POST', 'keys', { name: 'Server', environment: 'live' });

  async function takeBack(): Promise<void> {
    await account.dashboard('POST', 'password/forgot', { body: { email } });
    const body = { token: await account.linkToken(email), password: NEW_PASSWORD };
    expect((await account.dashboard('POST', 'password/reset', { body })).status).toBe(200);
    const again = { email, password: NEW_PASSWORD };
    const { headers } = await account.dashboard('POST', 'log-in', { body: again });
    owner = { ...owner, token: String(headers['x-set-session']) };
  }

  /** Makes one change, then sets its counter so that only `left` more are allowed within the hour. */
  async function useUp(left = 0): Promise<void> {
    const before = await attempts();
    expect((await rename()).status).toBe(200);
    const [counted] = (await attempts()).filter(
      (one) => !before.some(({ subject, count }) => one.subject === subject && one.count === count),
    );
    await account.database.query(
      `update attempts set count = 300 - $2::int where subject = decode($1, 'hex')`,
      [counted.subject, left],
    );
  }
  const attempts = () =>
    account.database.query<{ subject: string; count: number }>(
      `select encode(subject, 'hex') as subject, count from attempts`,
    );

  it('429: the changes that an account makes are limited, without delaying another account', async () => {
    const made = (await createKey()).body as { id: string };
    await useUp(3);
    for (let change = 0; change < 3; change += 1) expect((await rename()).status).toBe(200);
    const refused = await rename();
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
    expect(refused.headers['retry-after']).toBe('3600');
    for (const [method, path, body] of [
      ['PUT', 'billing-details', { details: null }],
      ['POST', 'keys', { name: 'Server', environment: 'live' }],
      ['PATCH', `keys/${made.id}`, { name: 'Other' }],
      ['POST', `keys/${made.id}/rotate`, { overlap: 'now' }],
      ['POST', `keys/${made.id}/reissue`, {}],
    ] as const) {
      expect([path, (await call(method, path, body)).status]).toEqual([path, 429]);
    }
    const other = await account.newOwner();
    const body = { name: 'Server', environment: 'live' };
    expect((await account.dashboard('POST', 'keys', { body, token: other.token })).status).toBe(
      201,
    );
    account.clock.advance(HOUR_MS);
    expect((await rename()).status).toBe(200);
  });

  it('changes that revoke access are never delayed', async () => {
    const { id } = (await createKey()).body as { id: string };
    await useUp();
    expect((await rename()).status).toBe(429);
    expect((await call('DELETE', `keys/${id}`)).status).toBe(200);
    expect((await call('DELETE', 'sessions')).status).toBe(200);
    expect((await call('POST', 'log-out')).status).toBe(200);
  });

  it('changes and new keys made by a stranger stop counting once the owner has recovered the account', async () => {
    const { id } = (await createKey()).body as { id: string };
    await account.database.query(
      `insert into api_keys (id, account_id, environment, key_hash, last_four, name, scopes,
         allowed_addresses, created_at, ranks_as, revoked_at, revoked_because)
       select made, account_id, environment, sha256(made::text::bytea), last_four, name, scopes,
         allowed_addresses, created_at, made, created_at, 'owner'
       from api_keys, unnest($2::uuid[]) made where id = $1`,
      [id, Array.from({ length: 199 }, () => newId())],
    );
    expect((await createKey()).body).toMatchObject({ code: 'key_limit_reached', limit: 200 });
    await useUp();
    expect((await rename()).status).toBe(429);
    await takeBack();
    expect((await rename()).status).toBe(200);
    expect((await createKey()).status).toBe(201);
    // Keys that the owner creates count towards the limit.
    await account.database.query(
      `update api_keys set created_at = created_at + interval '1 second' where account_id = $1`,
      [owner.accountId],
    );
    expect((await createKey()).body).toMatchObject({ code: 'key_limit_reached', limit: 200 });
  });

  it('S121: a password is checked, and the strength of a new one estimated, only a few times an hour, even if the password is set again', async () => {
    const passwords = account.get(PasswordsService);
    const check = jest.spyOn(passwords, 'check');
    const matches = jest.spyOn(passwords, 'matches');
    const statusOf = async (path: string, body: object) => {
      const { status, headers } = await call('POST', path, body);
      owner = { ...owner, token: String(headers['x-set-session'] ?? owner.token) };
      return status;
    };
    const change = async (current_password: string, password = 'password') =>
      statusOf('password/change', { current_password, password });
    expect(await change('a wrong password')).toBe(401);
    expect(check).not.toHaveBeenCalled();
    for (let attempt = 1; attempt < 57; attempt++) expect(await change(PASSWORD)).toBe(400);
    expect(await change(PASSWORD, PASSWORD)).toBe(200);
    expect(await statusOf('session/reauthenticate', { password: PASSWORD })).toBe(200);
    expect([await change(PASSWORD), await change(PASSWORD)]).toEqual([400, 429]);
    expect([matches, check].map(({ mock }) => mock.calls.length)).toEqual([60, 58]);
    await takeBack();
    expect(await change(NEW_PASSWORD)).toBe(400);
    for (const spy of [check, matches]) spy.mockRestore();
  });
});
