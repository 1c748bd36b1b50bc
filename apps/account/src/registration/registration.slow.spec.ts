import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { hashApiKey, isWellFormedApiKey } from '#libs/contracts';
import { DAY_MS, HOUR_MS } from '#libs/platform';
import { recordedEvents } from '#test/environment';
import { AccountUnderTest, PASSWORD } from '../../../../test/account/account-under-test.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { trialClaim } from '../people/address.js';
import { ForgetSignUpsJob } from './forget-sign-ups.job.js';
import type { SignUp } from './sign-up.entity.js';
import { SignUpsMaintenanceRepository } from './sign-ups.repository.js';

describe('registration', () => {
  let account: AccountUnderTest;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
  });
  afterAll(() => account.stop());
  beforeEach(() => account.clock.advance(HOUR_MS));

  const signUp = (email: string, extra: object = {}, headers?: Record<string, string>) =>
    account.dashboard('POST', 'sign-up', {
      body: { first_name: 'Ada', email, password: PASSWORD, ...extra },
      headers,
    });
  const confirm = (token: string, password = PASSWORD) =>
    account.dashboard('POST', 'sign-up/confirm', { body: { token, password } });

  it('a confirmed sign-up creates an account with a session, a live key and a test key', async () => {
    const { accountId, token, key, testKey } = await account.register('first@example.com');
    expect([isWellFormedApiKey(key), isWellFormedApiKey(testKey)]).toEqual([true, true]);
    const record = await account.client.findKey(hashApiKey(key, account.config.keyPepper));
    expect(record).toMatchObject({
      accountId,
      accountState: 'active',
      environment: 'live',
      rank: 1,
    });
    const session = await account.dashboard('GET', 'session', { token });
    expect(session.body).toMatchObject({ account_id: accountId, account_state: 'active' });
    const events = (await recordedEvents(account.database)).filter((e) => e.key === accountId);
    expect(events.map(({ type }) => type)).toEqual([
      'account.account-registered',
      'account.api-key-changed',
      'account.api-key-changed',
    ]);
    expect(events[0].data).toEqual({
      trialClaim: trialClaim('first@example.com', account.config.addressPepper),
    });
  });

  it('S24: a known and an unknown address get the same answer after the same hashes and queries', async () => {
    await account.register('known@example.com');
    const passwords = account.get(PasswordsService);
    const measure = async (email: string) => {
      const hashes = passwords.hashCount;
      const statements = account.statements();
      const { status, body } = await signUp(email, { first_name: 'Stranger' });
      return { status, body, hashes: passwords.hashCount - hashes, statements: statements.texts() };
    };
    const [known, unknown] = [
      await measure('known@example.com'),
      await measure('unknown@example.com'),
    ];
    expect(known).toEqual(unknown);
    expect(known).toMatchObject({ status: 202, hashes: 1 });
    const [mail] = await account.mailsTo('known@example.com');
    expect(mail.subject).toBe('You already have an account');
    expect(mail.text).not.toMatch(/token=|Stranger/);
  });

  it('S31: a link works once and for 24 hours', async () => {
    await signUp('once@example.com');
    const used = await account.linkToken('once@example.com');
    expect((await confirm(used)).status).toBe(201);
    expect(await confirm(used)).toMatchObject({ status: 410, body: { code: 'link_invalid' } });
    await signUp('late@example.com');
    const late = await account.linkToken('late@example.com');
    account.clock.advance(DAY_MS);
    expect((await confirm(late)).status).toBe(410);
    expect((await confirm('not a token')).status).toBe(410);
  });

  it('S38: an owner who follows the link of a stranger’s sign-up gets no account and can still sign up', async () => {
    const address = 'victim@example.com';
    await signUp(address, { password: 'the password of a stranger' });
    const strangers = await account.linkToken(address);
    for (const password of [PASSWORD, 'the password of a victim']) {
      const refused = await confirm(strangers, password);
      expect([refused.status, refused.body.code]).toEqual([401, 'wrong_credentials']);
      expect(refused.headers).not.toHaveProperty('x-set-session');
    }
    const logIn = (password: string) =>
      account.dashboard('POST', 'log-in', { body: { email: address, password } });
    expect((await logIn('the password of a stranger')).status).toBe(401);
    await signUp(address);
    expect((await confirm(await account.linkToken(address))).status).toBe(201);
    expect((await logIn(PASSWORD)).status).toBe(200);
    expect((await logIn('the password of a stranger')).status).toBe(401);
    expect((await confirm(strangers, 'the password of a stranger')).status).toBe(410);
  });

  it('S129: after three strangers have signed up with an address, the mailbox’s owner can set a password with one of the links', async () => {
    const address = 'owner@example.com';
    for (let stranger = 0; stranger < 3; stranger++) {
      await signUp(address, { password: 'the password of a stranger' });
    }
    expect((await signUp(address)).status).toBe(202);
    const token = await account.linkToken(address);
    const set = async (password: string) =>
      account.dashboard('POST', 'sign-up/confirm', {
        body: { token, password, set_password: true },
      });
    expect((await set('password')).body).toMatchObject({ code: 'invalid_request' });
    expect((await set('the password of the owner')).status).toBe(201);
    const logIn = (password: string) =>
      account.dashboard('POST', 'log-in', { body: { email: address, password } });
    expect((await logIn('the password of the owner')).status).toBe(200);
    expect((await logIn('the password of a stranger')).status).toBe(401);
  });

  it('S20: one link causes at most 60 hashes an hour; its password is accepted after that hour', async () => {
    await signUp('hashes@example.com');
    const token = await account.linkToken('hashes@example.com');
    const passwords = account.get(PasswordsService);
    const before = passwords.hashCount;
    const codes: string[] = [];
    for (let attempt = 0; attempt < 63; attempt++) {
      codes.push((await confirm(token, 'not the password')).body.code);
    }
    expect(codes.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 'wrong_credentials'));
    expect(codes.slice(60)).toEqual(Array.from({ length: 3 }, () => 'too_many_attempts'));
    expect(passwords.hashCount - before).toBe(60);
    account.clock.advance(HOUR_MS);
    expect((await confirm(token)).status).toBe(201);
  });

  it('S39: one of 50 parallel confirmations registers the account', async () => {
    await signUp('parallel@example.com');
    const token = await account.linkToken('parallel@example.com');
    const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(token)));
    const registered = answers.filter(({ status }) => status === 201);
    expect(registered).toHaveLength(1);
    // A network has only a limited number of slots for hashing.
    const refused = answers.filter(({ status }) => status === 410 || status === 429);
    expect(refused).toHaveLength(49);
    const events = (await recordedEvents(account.database)).filter(
      ({ type, key }) =>
        type === 'account.account-registered' && key === registered[0].body.account_id,
    );
    expect(events).toHaveLength(1);
  });

  it('if there are two sign-ups with one address, the first one to be confirmed gets the account', async () => {
    await signUp('twice@example.com');
    const first = await account.linkToken('twice@example.com');
    await signUp('TWICE@example.com');
    const second = await account.linkToken('TWICE@example.com');
    expect((await confirm(second)).status).toBe(201);
    expect((await confirm(first)).status).toBe(410);
  });

  it('S38: a network may sign up ten times an hour and a site forty times; sign-ups from many networks for one mail domain are accepted, but audited', async () => {
    const from = (address: string) => ({ 'x-client-address': address });
    const codes = async (count: number, of: (i: number) => [string, string]) => {
      const answers = [];
      for (let i = 0; i < count; i++) {
        const [email, address] = of(i);
        answers.push((await signUp(email, {}, from(address))).status);
      }
      return answers.filter((status) => status === 202).length;
    };
    expect(await codes(12, (i) => [`a${i}@d${i}.example`, '198.51.100.7'])).toBe(10);
    expect(await codes(12, (i) => [`a${i}@e${i}.example`, `2001:db8:1:2::${i + 1}`])).toBe(10);
    const site = (i: number) => `2001:db8:3:${i.toString(16)}::1`;
    expect(await codes(42, (i) => [`a${i}@f${i}.example`, site(i)])).toBe(40);
    expect(await codes(33, (i) => [`a${i}@small.example`, `203.0.113.${i + 1}`])).toBe(33);
    const noted = await account.database.query(
      `select from audit where action = 'attempts.limited' and object = 'limit:sign-up domain'`,
    );
    expect(noted).toHaveLength(1);
  });

  it('S38: a fourth sign-up for a mailbox within an hour, with yet another spelling of its address, sends no e-mail', async () => {
    const spellings = ['ada@gmail.com', 'A.da@gmail.com', 'ada+1@googlemail.com', 'ad.a@gmail.com'];
    const statuses = [];
    for (const [i, email] of spellings.entries()) {
      statuses.push((await signUp(email, {}, { 'x-client-address': `203.0.113.${i}` })).status);
    }
    expect(statuses).toEqual([202, 202, 202, 202]);
    expect(await account.mailsTo('ad.a@gmail.com')).toEqual([]);
    account.clock.advance(HOUR_MS);
    expect((await signUp('ada@gmail.com')).status).toBe(202);
  });

  it('S38: spellings of one mailbox get separate accounts, e-mails and log-ins, but only one trial', async () => {
    const spellings = ['grace@example.net', 'grace+shop@example.net'];
    const owners: string[] = [];
    for (const spelling of spellings) owners.push((await account.register(spelling)).accountId);
    expect(new Set(owners).size).toBe(2);
    const logIn = async (email: string) =>
      account.dashboard('POST', 'log-in', { body: { email, password: PASSWORD } });
    for (const [at, spelling] of spellings.entries()) {
      expect((await logIn(spelling)).body.account_id).toBe(owners[at]);
    }
    expect((await logIn('grace+other@example.net')).status).toBe(401);
    const registered = (await recordedEvents(account.database)).filter(
      ({ type, key }) => type === 'account.account-registered' && owners.includes(key),
    );
    const claims = registered.map(({ data }) => data.trialClaim);
    expect([claims.length, new Set(claims).size]).toEqual([2, 1]);
  });

  it.each([
    ['Ada.Lovelace+news@GMAIL.com', 'adalovelace@googlemail.com', true],
    ['ada+1@example.com', 'ADA@example.com', true],
    ['a.da@example.com', 'ada@example.com', false],
    ['ada@example.com', 'ada@example.org', false],
    ['ada@icloud.com', 'ada+x@me.com', true],
    ['a.d-a_@proton.me', 'ada+x@pm.me', true],
    ['ada-love@yandex.ru', 'ada.love+x@ya.ru', true],
    ['ada.love@yandex.ru', 'adalove@yandex.ru', false],
    ['ada@mac.com', 'ada@icloud.com', true],
    ['ada@fastmail.com', 'ada@fastmail.fm', false],
    ['ada@qq.com', 'ada@foxmail.com', false],
    ['ada-shop@yahoo.ca', 'ada@yahoo.ca', true],
    ['ada_l@yahoo.com', 'adal@yahoo.com', false],
    ['ada-shop@yahoo.com', 'ada@yahoo.com', true],
    ['ada@yahoo.com', 'ada@ymail.com', false],
    ['shop@ada.fastmail.com', 'ada+x@fastmail.com', true],
    ['shop@ada.example.com', 'ada@example.com', false],
    ['ada-x@example.com', 'ada@example.com', false],
    ['ada@outlook.com', 'ada@hotmail.com', false],
    ['a.da@outlook.com', 'ada@outlook.com', false],
    ['ada+x@outlook.com', 'ada@outlook.com', true],
    ['+a@example.com', '+b@example.com', false],
  ])('S38: the trial claims of %s and %s are the same: %p', (one, other, isSame) => {
    expect(trialClaim(one, 'pepper') === trialClaim(other, 'pepper')).toBe(isSame);
  });

  it.each([
    ['a common password', { password: 'P@ssw0rd2024' }],
    ['a name that is a link', { first_name: 'Win now example.com' }],
    ['a name with a line break', { first_name: 'Ada\r\nBcc: x' }],
    ['no name', { first_name: '' }],
    ['an address with a line break', { email: 'a@example.com\r\nBcc: b@example.com' }],
    ['two addresses', { email: 'a@example.com,b@example.com' }],
    ['an unknown member', { role: 'admin' }],
  ])('S21, S82, S91: a sign-up with %s is rejected', async (_, extra) => {
    const { status, body } = await signUp('refused@example.com', extra);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(await account.mailsTo('refused@example.com')).toEqual([]);
  });

  it('an unconfirmed sign-up is deleted together with its data key', async () => {
    await signUp('forgotten@example.com');
    await account.mailsTo('forgotten@example.com');
    account.clock.advance(DAY_MS);
    await account.get(ForgetSignUpsJob).runOnce();
    const [left] = await account.database.query<{ sign_ups: string; keys: string }>(
      `select (select count(*) from sign_ups) as sign_ups,
              (select count(*) from data_keys d
               where not exists (select from accounts a where a.id = d.account_id)) as keys`,
    );
    expect(left).toEqual({ sign_ups: '0', keys: '0' });
  });

  it('an account keeps its data key if its sign-up was confirmed while expired sign-ups were being deleted', async () => {
    const { accountId, token } = await account.register('punctual@example.com');
    const signUp = { id: accountId } as SignUp;
    // The job has read its list just before the confirmation was committed.
    jest
      .spyOn(account.get(SignUpsMaintenanceRepository), 'listExpired')
      .mockResolvedValueOnce([signUp]);
    await account.get(ForgetSignUpsJob).runOnce();
    const profile = await account.dashboard('GET', 'account', { token });
    expect(profile.body).toMatchObject({ email: 'punctual@example.com' });
  });
});
