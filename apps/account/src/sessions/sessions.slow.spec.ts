import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, newId } from '#libs/platform';
import {
  AccountUnderTest,
  PASSWORD,
  type Registered,
} from '../../../../test/account/account-under-test.js';
import { COMMON_PASSWORD_COUNT, isGuessablePassword } from '../passwords/guessable-password.js';
import { HASH_COST, hashPassword } from '../passwords/password-hash.js';
import { PasswordQueueFull } from '../passwords/passwords.errors.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { tokenHash } from './session-token.js';

describe('sessions', () => {
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
    email = `person${++count}@example.com`;
    owner = await account.register(email);
  });

  const logIn = (password = PASSWORD, address = '192.0.2.1', of = email) =>
    account.dashboard('POST', 'log-in', {
      body: { email: of, password },
      headers: { 'x-client-address': address },
    });
  const session = (token: string) => account.dashboard('GET', 'session', { token });
  const tokenOf = ({ headers }: { headers: Record<string, unknown> }) =>
    String(headers['x-set-session']);

  it('S25: a token has 256 bits and only its hash is stored', async () => {
    const token = tokenOf(await logIn());
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const dump = await account.dump();
    expect(dump).not.toContain(token);
    expect(dump).toContain(tokenHash(token)?.toString('hex'));
  });

  it('S24: a wrong password and an unknown address get the same answer after the same work', async () => {
    const passwords = account.get(PasswordsService);
    const measure = async (of: string) => {
      const [hashes, statements] = [passwords.hashCount, account.statements()];
      const { status, body } = await logIn('a wrong password', '192.0.2.99', of);
      return { status, body, hashes: passwords.hashCount - hashes, statements: statements.texts() };
    };
    const [wrong, unknown] = [await measure(email), await measure('nobody@example.com')];
    expect(wrong).toEqual(unknown);
    expect(wrong).toMatchObject({ status: 401, hashes: 1, body: { code: 'wrong_credentials' } });
  });

  it('S26: after the password has been entered again, the old token is invalid', async () => {
    const body = { password: PASSWORD };
    const call = { token: owner.token, body };
    const renewed = await account.dashboard('POST', 'session/reauthenticate', call);
    expect((await session(owner.token)).status).toBe(401);
    expect((await session(tokenOf(renewed))).status).toBe(200);
  });

  it('S27: a session ends after 24 idle hours, and after 30 days in any case', async () => {
    account.clock.advance(DAY_MS - 1);
    expect((await session(owner.token)).status).toBe(200);
    account.clock.advance(DAY_MS);
    expect((await session(owner.token)).status).toBe(401);
    const token = tokenOf(await logIn());
    for (let hours = 0; hours < 30 * 24 - 12; hours += 12) {
      account.clock.advance(12 * HOUR_MS);
      expect((await session(token)).status).toBe(200);
    }
    account.clock.advance(12 * HOUR_MS);
    expect((await session(token)).body.code).toBe('not_logged_in');
  });

  it('S27, S85: an owner can list and end the sessions of the account, but not of another account', async () => {
    const second = tokenOf(await logIn(PASSWORD, '198.51.100.9'));
    const { body } = await account.dashboard('GET', 'sessions', { token: second });
    expect(
      body.sessions.map((s: { address: string; current: boolean }) => [s.address, s.current]),
    ).toEqual([
      ['198.51.100.9', true],
      ['192.0.2.1', false],
    ]);
    const firstId = body.sessions[1].id;
    const stranger = await account.newOwner();
    const foreign = await account.dashboard('DELETE', `sessions/${firstId}`, stranger);
    expect(foreign.status).toBe(404);
    const own = await account.dashboard('DELETE', `sessions/${firstId}`, { token: second });
    expect(own.status).toBe(200);
    expect((await session(owner.token)).status).toBe(401);
  });

  it('S27, S85: an owner can end all other sessions of the account at once, but no session of another account', async () => {
    const [second, third] = [tokenOf(await logIn()), tokenOf(await logIn())];
    const stranger = await account.newOwner();
    const { status, body } = await account.dashboard('DELETE', 'sessions', { token: second });
    expect([status, body]).toEqual([200, { ended: 2 }]);
    for (const token of [owner.token, third]) expect((await session(token)).status).toBe(401);
    for (const token of [second, stranger.token]) expect((await session(token)).status).toBe(200);
    const again = await account.dashboard('DELETE', 'sessions', { token: second });
    expect(again.body).toEqual({ ended: 0 });
    account.clock.advance(DAY_MS);
    const afterExpiry = { token: tokenOf(await logIn()) };
    const later = await account.dashboard('DELETE', 'sessions', afterExpiry);
    expect(later.body).toEqual({ ended: 0 });
  });

  it('S27: an account has at most fifty open sessions, and at most 500 are kept', async () => {
    const open = async () => (await session(owner.token)).status === 200;
    await account.database.query(
      `insert into sessions (id, account_id, person_id, token_hash, origin, network_hash, created_at,
         last_seen_at, authenticated_at, ended_at)
       select more.id, account_id, person_id, sha256(more.id::text::bytea), origin, network_hash, created_at,
         last_seen_at, authenticated_at, case when place <= 551 then created_at end
       from sessions, unnest($2::uuid[]) with ordinality more (id, place) where account_id = $1`,
      [owner.accountId, Array.from({ length: 600 }, () => newId())],
    );
    expect(await open()).toBe(true);
    const token = tokenOf(await logIn());
    expect([await open(), (await session(token)).status]).toEqual([false, 200]);
    const [counts] = await account.database.query(
      `select count(*)::int as kept, count(*) filter (where ended_at is null)::int as open
       from sessions where account_id = $1`,
      [owner.accountId],
    );
    expect(counts).toEqual({ kept: 500, open: 50 });
  });

  it('S28: a log-out ends the session; a changed password ends all sessions', async () => {
    const [first, second] = [tokenOf(await logIn()), tokenOf(await logIn())];
    const out = await account.dashboard('POST', 'log-out', { token: first });
    expect(out.headers['x-clear-session']).toBe('1');
    expect((await session(first)).status).toBe(401);
    const body = { current_password: PASSWORD, password: 'nine yellow trumpets' };
    const changed = await account.dashboard('POST', 'password/change', { token: second, body });
    for (const token of [owner.token, second]) expect((await session(token)).status).toBe(401);
    expect((await session(tokenOf(changed))).status).toBe(200);
    expect((await logIn()).status).toBe(401);
    expect((await account.mailsTo(email))[0].subject).toBe('Your password was changed');
  });

  it('S28: a password that is replaced while it is being checked neither starts a session nor sets another password', async () => {
    const passwords = account.get(PasswordsService);
    const matches = passwords.matches.bind(passwords);
    const changeTo = (token: string, password: string) =>
      account.dashboard('POST', 'password/change', {
        token,
        body: { current_password: PASSWORD, password },
      });
    const [owners, stolen] = [tokenOf(await logIn()), tokenOf(await logIn())];
    const checked = Promise.withResolvers<void>();
    const replaced = Promise.withResolvers<void>();
    let waiting = 2;
    passwords.matches = async (...given) => {
      const isRight = await matches(...given);
      if (--waiting === 0) checked.resolve();
      await replaced.promise;
      return isRight;
    };
    const thief = [logIn(), changeTo(stolen, 'a thief has it now')];
    await checked.promise;
    passwords.matches = matches;
    expect((await changeTo(owners, 'nine yellow trumpets')).status).toBe(200);
    replaced.resolve();
    expect((await Promise.all(thief)).map(({ status }) => status)).toEqual([401, 401]);
    expect((await logIn('nine yellow trumpets')).status).toBe(200);
  });

  it('S22: after five failures, each attempt waits longer, and nobody is locked out', async () => {
    const guess = async () => (await logIn('a wrong password', '203.0.113.5')).status;
    expect(await Promise.all(Array.from({ length: 5 }, guess))).toEqual(Array(5).fill(401));
    const refused = await logIn(PASSWORD, '203.0.113.5');
    expect(refused).toMatchObject({ status: 429, body: { retry_after: 2 } });
    account.clock.advance(2 * SECOND_MS);
    expect(await guess()).toBe(401);
    expect(await guess()).toBe(429);
    account.clock.advance(4 * SECOND_MS);
    expect((await logIn(PASSWORD, '203.0.113.5')).status).toBe(200);
  });

  it('S22: a stranger’s guesses delay only the stranger’s own network or site, wherever the owner is', async () => {
    const site = (i: number) => `2001:db8:7:${i.toString(16)}::1`;
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) {
      await logIn('a wrong password', '203.0.113.7');
      statuses.push((await logIn('a wrong password', site(i))).status);
    }
    // Each guess comes from a different network of one site.
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    for (const place of ['203.0.113.8', '2001:db8:8:1::1', '192.0.2.1']) {
      expect([place, (await logIn(PASSWORD, place)).status]).toEqual([place, 200]);
    }
  });

  it('S22: after strangers have made a hundred guesses in an hour, an owner can log in from a known network, or after setting a new password with an e-mailed link', async () => {
    const stranger = (i: number) => logIn('a wrong password', `198.51.100.${i}`);
    for (let i = 0; i < 100; i++) expect((await stranger(i)).status).toBe(401);
    expect(await stranger(100)).toMatchObject({ status: 429, body: { retry_after: 3_600 } });
    expect((await logIn(PASSWORD, '198.51.100.200')).status).toBe(429);
    expect((await logIn(PASSWORD, '192.0.2.1')).status).toBe(200);
    await account.dashboard('POST', 'password/forgot', { body: { email } });
    const body = { token: await account.linkToken(email), password: 'nine yellow trumpets' };
    expect((await account.dashboard('POST', 'password/reset', { body })).status).toBe(200);
    expect((await logIn(body.password, '198.51.100.200')).status).toBe(200);
  });

  it('S22: someone who knows the password can exhaust the limit of log-ins; a password set with an e-mailed link starts a new count, but a changed one does not', async () => {
    const before = await account.database.query<{ subject: Buffer }>(
      'select subject from attempts',
    );
    expect((await logIn()).status).toBe(200);
    await account.database.query(
      'update attempts set count = 299 where count = 1 and subject <> all($1::bytea[])',
      [before.map(({ subject }) => subject)],
    );
    const passwords = account.get(PasswordsService);
    // Neither guesses nor passwords that are not checked count.
    for (let i = 0; i < 2; i++) expect((await logIn('a wrong password')).status).toBe(401);
    const matches = jest.spyOn(passwords, 'matches').mockRejectedValueOnce(new PasswordQueueFull());
    expect((await logIn()).status).toBe(429);
    matches.mockRestore();
    const token = String((await logIn()).headers['x-set-session']);
    const change = { current_password: PASSWORD, password: 'eight purple violins' };
    const changed = await account.dashboard('POST', 'password/change', { body: change, token });
    expect(changed.status).toBe(200);
    const { hashCount } = passwords;
    expect((await logIn('eight purple violins')).status).toBe(429);
    expect(passwords.hashCount).toBe(hashCount);
    await account.dashboard('POST', 'password/forgot', { body: { email } });
    const body = { token: await account.linkToken(email), password: 'nine yellow trumpets' };
    expect((await account.dashboard('POST', 'password/reset', { body })).status).toBe(200);
    expect((await logIn(body.password)).status).toBe(200);
  });

  it('S22: a browser that logged in before is delayed neither by guesses from elsewhere nor by others behind its network address', async () => {
    const logInWith = (device: string, password = PASSWORD, of = email, address = '203.0.113.9') =>
      account.dashboard('POST', 'log-in', {
        body: { email: of, password },
        headers: { 'x-client-address': address, 'x-device-token': device },
      });
    const deviceOf = async () => String((await logIn()).headers['x-set-device']);
    const device = await deviceOf();
    // Other clients behind the same network address fail twenty times, and then guess at this account.
    for (let i = 0; i < 20; i++)
      await logIn('a wrong password', '203.0.113.9', `x${i}@example.com`);
    for (let i = 0; i < 7; i++) await logIn('a wrong password', '203.0.113.8');
    expect((await logIn(PASSWORD, '203.0.113.9')).status).toBe(429);
    const answer = await logInWith(device);
    expect([answer.status, answer.headers['x-set-device']]).toEqual([200, device]);
    // A device token is valid for one address only, cannot be forged, and is delayed by guesses made with it.
    const stranger = `stranger${count}@example.com`;
    await account.register(stranger);
    const forged = `${'A'.repeat(63)}B`;
    for (const [token, of] of [
      [device, stranger],
      [forged, email],
      ['x', email],
    ]) {
      expect((await logInWith(token, PASSWORD, of)).status).toBe(429);
    }
    for (let i = 0; i < 5; i++) expect((await logInWith(device, 'wrong')).status).toBe(401);
    expect((await logInWith(device)).status).toBe(429);
    expect((await logInWith(await deviceOf())).status).toBe(200);
  });

  it('S23: log-ins from one network may fail twenty times in 15 minutes, over all accounts', async () => {
    const address = (i: number) => `2001:db8:5:6::${i.toString(16)}`;
    const statuses = [];
    for (let i = 1; i <= 25; i++) {
      statuses.push((await logIn('a wrong password', address(i), `x${i}@example.com`)).status);
    }
    expect(statuses).toEqual([...Array(20).fill(401), ...Array(5).fill(429)]);
    account.clock.advance(15 * MINUTE_MS);
    expect((await logIn('a wrong password', address(1), 'y@example.com')).status).toBe(401);
  });

  it('S19: a password is stored as argon2id with 19 MiB, two passes, two lanes', async () => {
    const stored = await new PasswordsService().hash(PASSWORD, 'network');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=2\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  it('S19: a password hashed at an earlier cost still works, and is hashed again at the current cost', async () => {
    const stored = async () => {
      const [{ hash }] = await account.database.query<{ hash: string }>(
        'select password_hash as hash from people where account_id = $1',
        [owner.accountId],
      );
      return hash;
    };
    const passwords = account.get(PasswordsService);
    const { cost: cheap } = passwords;
    passwords.cost = HASH_COST;
    const cost = { memoryKib: 8_192, passes: 1, parallelism: 1 };
    await account.database.query('update people set password_hash = $2 where account_id = $1', [
      owner.accountId,
      await hashPassword(PASSWORD, cost),
    ]);
    expect((await logIn('a wrong password')).status).toBe(401);
    expect(await stored()).toContain('m=8192,t=1,p=1$');
    expect((await logIn()).status).toBe(200);
    const renewed = await stored();
    expect(renewed).toContain('m=19456,t=2,p=2$');
    expect((await logIn()).status).toBe(200);
    expect(await stored()).toBe(renewed);
    passwords.cost = cheap;
  });

  it('S32: only the newest reset link works, once and for 30 minutes, and it ends all sessions', async () => {
    const forgot = () => account.dashboard('POST', 'password/forgot', { body: { email } });
    const reset = (token: string) =>
      account.dashboard('POST', 'password/reset', {
        body: { token, password: 'nine yellow trumpets' },
      });
    await forgot();
    const older = await account.linkToken(email);
    await forgot();
    const newest = await account.linkToken(email);
    expect((await reset(older)).body.code).toBe('link_invalid');
    expect((await reset(newest)).status).toBe(200);
    expect((await reset(newest)).body.code).toBe('link_invalid');
    expect((await session(owner.token)).status).toBe(401);
    expect((await logIn('nine yellow trumpets')).status).toBe(200);
    await forgot();
    const late = await account.linkToken(email);
    account.clock.advance(30 * MINUTE_MS);
    expect((await reset(late)).body.code).toBe('link_invalid');
  });

  it('a stranger’s requests for a link lock nobody out: they get 202, and the last link stays valid', async () => {
    const forgot = (i: number) =>
      account.dashboard('POST', 'password/forgot', {
        body: { email },
        headers: { 'x-client-address': `203.0.113.${i}` },
      });
    const resets = async () =>
      (await account.mailsTo(email)).filter(({ subject }) => subject === 'Set a new password');
    for (let i = 0; i < 3; i++) await forgot(i);
    const last = await account.linkToken(email);
    for (let i = 3; i < 9; i++) expect((await forgot(i)).status).toBe(202);
    expect(await resets()).toHaveLength(3);
    account.clock.advance(30 * MINUTE_MS - 1);
    const body = { token: last, password: 'nine yellow trumpets' };
    expect((await account.dashboard('POST', 'password/reset', { body })).status).toBe(200);
    account.clock.advance(1);
    await forgot(9);
    expect(await resets()).toHaveLength(4);
  });

  it('S24: the answer to a request for a reset link, and the work before it, reveal nothing about the address', async () => {
    const ask = async (of: string) => {
      const statements = account.statements();
      const { status, body } = await account.dashboard('POST', 'password/forgot', {
        body: { email: of },
      });
      return { answer: { status, body }, statements: statements.texts() };
    };
    const known = await account.database.transaction(async (transaction) => {
      // Sending waits for this lock, but the answer does not.
      await transaction.query('select from accounts where id = $1 for update', [owner.accountId]);
      return ask(email);
    });
    await account.mailsTo(email);
    const unknown = await ask('nobody@example.com');
    expect(known.answer).toEqual(unknown.answer);
    expect(unknown.statements).toHaveLength(3);
    expect(known.statements.slice(0, 3)).toEqual(unknown.statements);
    expect(await account.mailsTo('nobody@example.com')).toEqual([]);
  });

  it('S18: an API key does not work as a session', async () => {
    expect((await session(owner.key)).body.code).toBe('not_logged_in');
  });

  it('S21: the list of common passwords has more than 10,000 entries and recognises look-alikes', async () => {
    expect(COMMON_PASSWORD_COUNT).toBeGreaterThan(10_000);
    const common =
      `password Passw0rd P@$$word123 SUMMER2024! qwertyuiop 12345678 drowssap ｐａｓｓｗｏｒｄ Liverpool1 19840512
      aaaaaaaaaaaa abcdefghijk iloveyou2 monkeymonkey ${'p@ssw0rd'.repeat(16)}`.split(/\s+/);
    expect(common.filter((password) => !isGuessablePassword(password))).toEqual([]);
    const good = [PASSWORD, 'zq8vk2wp', `${'a'.repeat(64)} zq8vk2wp`, 'correcthorsebatterystaple'];
    expect(good.filter((password) => isGuessablePassword(password))).toEqual([]);
    const body = { first_name: 'Ada', email: 'guessed@example.com', password: 'P@$$word123' };
    const refused = await account.dashboard('POST', 'sign-up', { body });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'password' }] } });
  });
});
