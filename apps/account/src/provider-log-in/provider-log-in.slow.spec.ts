import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#libs/platform';
import {
  AccountUnderTest,
  PASSWORD,
  type Registered,
} from '../../../../test/account/account-under-test.js';
import { appCode } from '../../../../test/account/authenticator-app.js';
import { IdentitySimulator } from '../../../simulators/src/identity/identity-simulator.js';
import { SoftwarePasskey } from '../../../../test/account/software-passkey.js';
import { ErasureService } from '../deletion/erasure.service.js';
import { PeopleService } from '../people/people.service.js';
import { CurrentSessionsService } from '../sessions/current-sessions.service.js';
import { ThrottlingService } from '../throttling/throttling.service.js';

interface Visit {
  step: string;
  query: string;
}

describe('log-in with a provider', () => {
  const simulator = new IdentitySimulator();
  let account: AccountUnderTest;
  let email: string;
  let count = 0;

  beforeAll(async () => {
    const settings = await simulator.start();
    account = await AccountUnderTest.start({
      googleClientId: settings.GOOGLE_CLIENT_ID,
      googleClientSecret: settings.GOOGLE_CLIENT_SECRET,
      googleIssuer: settings.GOOGLE_ISSUER,
      githubClientId: settings.GITHUB_CLIENT_ID,
      githubClientSecret: settings.GITHUB_CLIENT_SECRET,
      githubUrl: settings.GITHUB_URL,
      githubApiUrl: settings.GITHUB_API_URL,
    });
  });
  afterAll(async () => {
    await account.stop();
    await simulator.stop();
  });
  beforeEach(() => {
    account.clock.advance(HOUR_MS);
    // The simulator's ID tokens contain the time of this machine's clock.
    email = `person${++count}@example.com`;
    simulator.faults = {};
  });

  const call = (path: string, body: object, step = '', token?: string) =>
    account.dashboard('POST', path, { body, token, headers: { 'x-step-token': step } });
  const session = (token: string) => account.dashboard('GET', 'session', { token });
  const tokenOf = ({ headers }: { headers: Record<string, unknown> }) =>
    String(headers['x-set-session']);
  const stepOf = ({ headers }: { headers: Record<string, unknown> }) =>
    String(headers['x-set-step']);

  /** Sends the browser to the provider and back, with its cookies. */
  async function visit(
    asked: { body: { url: string }; headers: Record<string, unknown> },
    answers: Record<string, string> = {},
  ): Promise<Visit> {
    const answer = await fetch(asked.body.url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ email, name: 'Ada', ...answers }),
    });
    const { search } = new URL(answer.headers.get('location') ?? '');
    return { step: stepOf(asked), query: search };
  }

  const go = async (provider: string, answers?: Record<string, string>) =>
    visit(await call(`log-in/providers/${provider}`, { to: '/keys' }), answers);
  const comeBack = ({ step, query }: Visit, token?: string) =>
    call('log-in/return', { query }, step, token);
  const logIn = (step = '') => call('log-in', { email, password: PASSWORD }, step);
  const identitiesOf = async (token: string) =>
    (await account.dashboard('GET', 'identities', { token })).body;

  it.each(['google', 'github'])(
    'S36: a person’s first log-in with %s creates an account with keys, and the next log-in opens the same account',
    async (provider) => {
      const first = await comeBack(await go(provider));
      expect(first.body).toMatchObject({
        account_state: 'active',
        key: expect.stringMatching(/^dds_live_/),
        test_key: expect.stringMatching(/^dds_test_/),
      });
      const again = await comeBack(await go(provider));
      expect(again.body).toMatchObject({ account_id: first.body.account_id, to: '/keys' });
      expect(again.body.key).toBeUndefined();
      expect(await identitiesOf(tokenOf(again))).toMatchObject({
        has_password: false,
        identities: [{ provider, address: email }],
      });
      const sessions = account.get(CurrentSessionsService);
      expect(await sessions.describe(tokenOf(again))).toMatchObject({ hasPassword: false });
    },
  );

  it.each(['google', 'github'])(
    'S35: %s is asked to let the visitor choose, instead of sending the browser back at once',
    async (provider) => {
      const { body } = await call(`log-in/providers/${provider}`, {});
      expect(new URL(body.url).searchParams.get('prompt')).toBe('select_account');
    },
  );

  it('simultaneous first log-ins of one person open the same account', async () => {
    const visits = [await go('google'), await go('google'), await go('google')];
    const answers = await Promise.all(visits.map((one) => comeBack(one)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.account_id)).size).toBe(1);
    expect(answers.filter(({ body }) => body.key !== undefined)).toHaveLength(1);
  });

  it.each([
    ['its address is looked up', PeopleService, 'findByAddress'],
    ['its sign-up is counted', ThrottlingService, 'isWithin'],
  ] as const)(
    'a first log-in gets the account that a concurrent first log-in creates while %s',
    async (_, type, method) => {
      const [late, early] = [await go('google'), await go('google')];
      const service = account.get<Record<string, (...given: unknown[]) => unknown>>(type as never);
      const original = service[method];
      const created: unknown[] = [];
      service[method] = async (...given) => {
        service[method] = original;
        created.push((await comeBack(early)).body.account_id);
        return original.apply(service, given);
      };
      const { status, body } = await comeBack(late);
      expect([status, [body.account_id]]).toEqual([200, created]);
    },
  );

  it('S36: a return from the provider works once, in the browser that started the log-in, with its state and code', async () => {
    const [one, other] = [await go('google'), await go('google')];
    expect((await comeBack({ ...one, step: '' })).status).toBe(410);
    expect((await comeBack({ ...one, query: other.query })).body.code).toBe('provider_refused');
    expect((await comeBack(one)).body.code).toBe('log_in_over');
    const third = await go('google');
    const code = new URLSearchParams((await go('google')).query).get('code') ?? '';
    const swapped = new URLSearchParams(third.query);
    swapped.set('code', code);
    // The PKCE verifier of this log-in does not match the code of the other one.
    expect((await comeBack({ ...third, query: `?${swapped}` })).body.code).toBe('provider_refused');
    const refused = await go('google', { refused: '1' });
    expect((await comeBack(refused)).body.code).toBe('provider_refused');
    const good = await comeBack(other);
    expect([good.status, (await comeBack(other)).status]).toEqual([200, 410]);
  });

  const seconds = () => Math.floor(Date.now() / SECOND_MS);
  const wrong: [what: string, faults: () => IdentitySimulator['faults']][] = [
    ['of another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
    ['for another audience', () => ({ claims: { aud: 'somebody-else' } })],
    [
      'for two audiences without an authorized party',
      () => ({ claims: { aud: ['simulator', 'other'] } }),
    ],
    ['for another party', () => ({ claims: { aud: ['simulator', 'x'], azp: 'x' } })],
    ['that has expired', () => ({ claims: { exp: seconds() - 3_600, iat: seconds() - 7_200 } })],
    ['that was issued tomorrow', () => ({ claims: { iat: seconds() + 86_400 } })],
    ['without an end', () => ({ claims: { exp: undefined } })],
    ['not valid before tomorrow', () => ({ claims: { nbf: seconds() + 86_400 } })],
    ['with another nonce', () => ({ claims: { nonce: 'another' } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['without a subject', () => ({ claims: { sub: undefined } })],
    ['with an empty subject', () => ({ claims: { sub: '' } })],
    ['with a key that is not published', () => ({ isForeignKey: true })],
    ['that claims to need no signature', () => ({ header: { alg: 'none' } })],
    ['that claims to be signed with a shared secret', () => ({ header: { alg: 'HS256' } })],
    ['that is missing', () => ({ isMissing: true })],
  ];
  it.each(wrong)('S36: an ID token %s is rejected', async (_, faults) => {
    simulator.faults = faults();
    const answer = await comeBack(await go('google'));
    expect([answer.status, answer.body.code]).toEqual([403, 'provider_refused']);
    expect(answer.headers['x-set-session']).toBeUndefined();
  });

  it('S28: a new password set with an e-mailed link disconnects providers, and the owner is notified', async () => {
    const first = await comeBack(await go('google'));
    await call('password/forgot', { email });
    const body = { token: await account.linkToken(email), password: PASSWORD };
    expect((await call('password/reset', body)).status).toBe(200);
    expect((await account.mailsTo(email)).map(({ subject }) => subject)).toContain(
      'Google was disconnected from your account',
    );
    const again = await comeBack(await go('google'));
    expect([again.body, tokenOf(again)]).toEqual([
      expect.objectContaining({ connects: email }),
      'undefined',
    ]);
    expect((await session(tokenOf(first))).status).toBe(401);
  });

  it('S38: one network can create at most ten accounts an hour through providers', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) {
      email = `many${i}@example.com`;
      statuses.push((await comeBack(await go('google'))).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  });

  it('S36: log-ins continue after the provider has changed its keys', async () => {
    await comeBack(await go('google'));
    simulator.rotateKeys();
    // Keys are fetched again once they are older than a minute.
    account.clock.advance(2 * HOUR_MS);
    expect((await comeBack(await go('google'))).status).toBe(200);
  });

  it('S37: a provider log-in with the address of an existing account waits until its owner logs in, in the same browser', async () => {
    const owner: Registered = await account.register(email);
    const there = await comeBack(await go('google'));
    expect([there.body, there.headers['x-set-session']]).toEqual([
      { connects: email, to: '/keys' },
      undefined,
    ]);
    expect((await comeBack(await go('google'))).body.connects).toBe(email);
    expect((await identitiesOf(owner.token)).identities).toEqual([]);
    expect((await logIn()).status).toBe(200);
    expect((await identitiesOf(owner.token)).identities).toEqual([]);
    expect((await logIn(stepOf(there))).status).toBe(200);
    expect((await identitiesOf(owner.token)).identities).toMatchObject([{ provider: 'google' }]);
    expect((await account.mailsTo(email))[0].subject).toBe('Google was connected to your account');
    const back = await comeBack(await go('google'));
    expect(back.body.account_id).toBe(owner.accountId);
  });

  it('if two browsers wait for the owner’s log-in, both log in, and the provider is connected once', async () => {
    const owner = await account.register(email);
    const browsers = [await comeBack(await go('google')), await comeBack(await go('google'))];
    for (const browser of browsers) expect((await logIn(stepOf(browser))).status).toBe(200);
    expect((await identitiesOf(owner.token)).identities).toHaveLength(1);
    const subjects = (await account.mailsTo(email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => /connected/.test(subject))).toHaveLength(1);
  });

  it('S37: an identity with one address is never connected to an account with another address', async () => {
    await account.register(email);
    const stranger = await account.register(`stranger-${email}`);
    const there = await comeBack(await go('google'));
    const body = { email: `stranger-${email}`, password: PASSWORD };
    expect((await call('log-in', body, stepOf(there))).status).toBe(200);
    expect((await identitiesOf(stranger.token)).identities).toEqual([]);
  });

  it.each(['google', 'github'])(
    'S37: an address that %s has not verified is not trusted',
    async (provider) => {
      const refused = await comeBack(await go(provider, { unverified: '1' }));
      expect([refused.status, refused.body.code]).toEqual([403, 'provider_address_not_verified']);
    },
  );

  it.each([
    ['google', () => ({ email_verified: 'false' })],
    ['google', () => ({ email_verified: undefined })],
    ['google', undefined],
    ['github', undefined],
  ])(
    'S37: an unverified address at %s (%#) connects nothing to its account, even for its owner',
    async (provider, claims) => {
      const owner = await account.register(email);
      if (claims) simulator.faults = { claims: claims() };
      const answers: Record<string, string> = claims ? {} : { unverified: '1' };
      const asked = await call(`log-in/providers/${provider}`, { to: '/keys' });
      const there = await comeBack(await visit(asked, answers));
      expect([there.status, there.body.code]).toEqual([403, 'provider_address_not_verified']);
      // Neither the browser nor the account remembers the identity.
      expect(stepOf(there)).toBe('undefined');
      expect((await logIn(stepOf(asked))).status).toBe(200);
      const begun = await call(`identities/${provider}`, {}, '', owner.token);
      const refused = await comeBack(await visit(begun, answers), owner.token);
      expect([refused.status, refused.body.code]).toEqual([403, 'provider_address_not_verified']);
      expect((await identitiesOf(owner.token)).identities).toEqual([]);
    },
  );

  it.each([
    ['google', 'no-address'],
    ['google', 'ü@example.com'],
    ['github', 'a@example.com\r\nBcc: b@example.com'],
    ['github', '"a b"@example.com'],
  ])(
    'S37, S82: %s creates no account for %j, which cannot receive our e-mails',
    async (provider, odd) => {
      const refused = await comeBack(await go(provider, { email: odd }));
      expect([refused.status, refused.body.code]).toEqual([403, 'provider_address_not_verified']);
    },
  );

  it('S33, S37: the second step is required after a provider log-in, and before a provider is connected', async () => {
    const owner = await account.register(email);
    const { body } = await call('second-factor', {}, '', owner.token);
    const secret: string = body.secret;
    const code = () => ({ code: appCode(secret, account.clock.now()) });
    const token = tokenOf(await call('second-factor/confirm', code(), '', owner.token));
    account.clock.advance(60 * SECOND_MS);
    const there = await comeBack(await go('google'));
    const first = await logIn(stepOf(there));
    expect(first.body).toEqual({ needs: 'code' });
    expect((await identitiesOf(token)).identities).toEqual([]);
    expect((await call('log-in/code', code(), stepOf(first))).status).toBe(200);
    expect((await identitiesOf(token)).identities).toHaveLength(1);
    account.clock.advance(60 * SECOND_MS);
    const back = await comeBack(await go('google'));
    expect([back.body, back.headers['x-set-session']]).toEqual([
      { needs: 'code', to: '/keys' },
      undefined,
    ]);
    expect((await call('log-in/code', code(), stepOf(back))).status).toBe(200);
  });

  it('S26, S35, S37: an owner connects and removes a provider shortly after entering the password, in the same session, and removing it ends all others', async () => {
    const owner = await account.register(email);
    const thief = await account.register(`thief-${email}`);
    const connect = async (token: string) => visit(await call('identities/github', {}, '', token));
    expect((await comeBack(await connect(owner.token), thief.token)).body.code).toBe(
      'not_logged_in',
    );
    expect((await comeBack(await connect(owner.token))).body.code).toBe('not_logged_in');
    const connected = await comeBack(await connect(owner.token), owner.token);
    expect(connected.body).toEqual({ to: '/security' });
    expect((await session(owner.token)).status).toBe(401);
    owner.token = tokenOf(connected);
    const taken = await comeBack(await connect(thief.token), thief.token);
    expect([taken.status, taken.body.code]).toEqual([409, 'identity_taken']);
    const [{ id }] = (await identitiesOf(owner.token)).identities;
    const remove = (token: string) => account.dashboard('DELETE', `identities/${id}`, { token });
    expect((await remove(thief.token)).status).toBe(404);
    const intruder = tokenOf(await comeBack(await go('github')));
    expect((await session(intruder)).status).toBe(200);
    owner.token = tokenOf(await remove(owner.token));
    expect((await session(intruder)).status).toBe(401);
    expect((await account.mailsTo(email))[0].subject).toBe(
      'GitHub was disconnected from your account',
    );
    account.clock.advance(11 * 60 * SECOND_MS);
    for (const late of [remove(owner.token), call('identities/github', {}, '', owner.token)]) {
      expect((await late).body.code).toBe('reauthentication_required');
    }
  });

  it('S28, S37: a new password cancels the connection of a provider, even if it is set while the connection completes', async () => {
    const owner = await account.register(email);
    const asked = await visit(await call('identities/github', {}, '', owner.token));
    const sessions = account.get(CurrentSessionsService);
    const find = sessions.find.bind(sessions);
    sessions.find = async (token) => {
      const found = await find(token);
      sessions.find = find;
      await call('password/forgot', { email });
      const body = { token: await account.linkToken(email), password: PASSWORD };
      expect((await call('password/reset', body)).status).toBe(200);
      return found;
    };
    const late = await comeBack(asked, owner.token);
    expect([late.status, late.body.code]).toEqual([401, 'not_logged_in']);
    expect((await identitiesOf(tokenOf(await logIn()))).identities).toEqual([]);
  });

  it('S37: a pending provider is also connected by a log-in with a passkey', async () => {
    const owner = await account.register(email);
    const passkey = new SoftwarePasskey(account.config.dashboardUrl);
    const asked = await call('passkeys/options', {}, '', owner.token);
    const made = { name: 'Phone', credential: passkey.make(asked.body.options) };
    expect((await call('passkeys', made, stepOf(asked), owner.token)).status).toBe(200);
    const there = await comeBack(await go('google'));
    const begun = await call('log-in/passkey/options', {}, stepOf(there));
    const used = { credential: passkey.use(begun.body.options) };
    const opened = await call('log-in/passkey', used, stepOf(begun));
    expect((await identitiesOf(tokenOf(opened))).identities).toMatchObject([
      { provider: 'google', address: email },
    ]);
  });

  it('the only way to log in cannot be removed; exports list providers, and an erasure deletes them', async () => {
    const opened = await comeBack(await go('github'));
    const token = tokenOf(opened);
    const [{ id }] = (await identitiesOf(token)).identities;
    const kept = await account.dashboard('DELETE', `identities/${id}`, { token });
    expect([kept.status, kept.body.code]).toEqual([409, 'last_way_in']);
    const exported = await account.dashboard('GET', 'account/export', { token });
    expect(exported.body.identities).toMatchObject([{ provider: 'github', details: email }]);
    expect((await account.dashboard('POST', 'account/delete', { token, body: {} })).status).toBe(
      200,
    );
    expect((await session(token)).status).toBe(401);
    account.clock.advance(91 * DAY_MS);
    await account.get(ErasureService).eraseDue();
    expect((await comeBack(await go('github'))).body.account_id).not.toBe(opened.body.account_id);
  });
});
