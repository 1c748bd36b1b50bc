import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '#libs/database';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { ErasureService } from '../../apps/account/src/deletion/erasure.service.js';
import { IdentitySimulator } from '../../apps/simulators/src/identity/identity-simulator.js';
import { AccountUnderTest, PASSWORD, type Registered } from './account-under-test.js';
import { appCode } from './authenticator-app.js';
import { SoftwarePasskey } from './software-passkey.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const EMAIL = 'audited@example.com';
const NEXT_EMAIL = 'audited-too@example.com';
const WRONG = 'a wrong password';
const NEXT = 'nine yellow trumpets';
const DETAILS = { address_line1: '1 Quay', city: 'Leith', country: 'GB' };
const KEY = { name: 'Server', environment: 'live' };
const ADDRESS = '203.0.113.77';

const RECENT: [Method, string, object?][] = [
  ['POST', 'keys', KEY],
  ['PATCH', 'keys/any', { name: 'Other' }],
  ['POST', 'keys/any/rotate', { overlap: 'now' }],
  ['POST', 'keys/any/reissue'],
  ['POST', 'account/email', { email: NEXT_EMAIL }],
  ['POST', 'second-factor'],
  ['POST', 'second-factor/confirm', { code: '0' }],
  ['POST', 'second-factor/recovery-codes'],
  ['POST', 'second-factor/remove', { code: '0' }],
  ['POST', 'identities/google'],
  ['DELETE', 'identities/any'],
  ['POST', 'passkeys/options'],
  ['POST', 'passkeys', { name: 'Phone', credential: '{}' }],
  ['PATCH', 'passkeys/any', { name: 'Phone' }],
  ['DELETE', 'passkeys/any'],
  ['POST', 'account/delete', {}],
];

const CLOSED: [Method, string, object?][] = [
  ...RECENT,
  ['GET', 'sessions'],
  ['GET', 'second-factor'],
  ['GET', 'identities'],
  ['GET', 'passkeys'],
  ['DELETE', 'sessions/any'],
  ['POST', 'session/reauthenticate', { password: NEXT }],
  ['GET', 'keys'],
  ['DELETE', 'keys/any'],
  ['GET', 'account'],
  ['PATCH', 'account', { first_name: 'Grace' }],
  ['POST', 'password/change', { current_password: NEXT, password: PASSWORD }],
  ['GET', 'billing-details'],
  ['PUT', 'billing-details', DETAILS],
];

describe('audited actions', () => {
  let account: AccountUnderTest;
  let auditor: Database;
  let owner: Registered;
  let token: string;
  const done = new Set<string>();
  const secrets = new Set<string>([PASSWORD, NEXT, WRONG, EMAIL, NEXT_EMAIL, ADDRESS, 'a browser']);

  beforeAll(async () => {
    account = await AccountUnderTest.start();
    auditor = await account.test.auditor('account');
  });
  afterAll(() => account.stop());

  /**
   * Reads rows in table order, which is mostly the order in which they were written. After a vacuum, new rows may come
   * earlier.
   */
  const entries = () =>
    auditor.query<{ id: string; action: string }>('select id, action from audit order by ctid');

  async function entriesOf(happens: () => Promise<unknown>): Promise<string[]> {
    const before = new Set((await entries()).map(({ id }) => id));
    await happens();
    const left = (await entries()).filter(({ id }) => !before.has(id)).map(({ action }) => action);
    for (const action of left) done.add(action);
    return left;
  }

  async function call(method: Method, path: string, body?: object, address = ADDRESS) {
    const headers = { 'x-client-address': address };
    // Each log-in comes from another browser, so that the sessions before it stay open.
    const own = path === 'log-in' ? {} : { token };
    const answer = await account.dashboard(method, path, { ...own, body, headers });
    const session = answer.headers['x-set-session'];
    if (typeof session === 'string') secrets.add((token = session));
    return answer;
  }

  const logIn = (password: string, email = EMAIL, address = ADDRESS) =>
    call('POST', 'log-in', { email, password }, address);
  const verify = (password: string) => call('POST', 'session/reauthenticate', { password });
  const linkTo = async (address: string) => {
    const link = await account.linkToken(address);
    secrets.add(link);
    return link;
  };

  it('S117: sign-ups, log-ins, log-outs and failed attempts write exactly their own entries', async () => {
    const steps: [happens: () => Promise<unknown>, expected: string[]][] = [
      [
        async () => {
          owner = await account.register(EMAIL);
          token = owner.token;
        },
        ['registration.requested', 'registration.confirmed'],
      ],
      [
        async () => {
          const body = { first_name: 'Ada', email: 'other@example.com', password: PASSWORD };
          await account.dashboard('POST', 'sign-up', { body });
          const link = await linkTo('other@example.com');
          const confirmation = { token: link, password: WRONG };
          await account.dashboard('POST', 'sign-up/confirm', { body: confirmation });
        },
        ['registration.requested', 'registration.refused'],
      ],
      [() => logIn(WRONG), ['session.log-in-failed']],
      [() => logIn(WRONG, 'nobody@example.com'), ['session.log-in-failed']],
      [() => logIn(PASSWORD), ['session.logged-in']],
      [() => verify(WRONG), ['session.reauthentication-failed']],
      [() => verify(PASSWORD), ['session.reauthenticated']],
      [
        async () => {
          const { body } = await call('GET', 'sessions');
          const other = body.sessions.find(({ current }: { current: boolean }) => !current);
          await call('DELETE', `sessions/${other.id}`);
        },
        ['session.ended'],
      ],
      [
        async () => {
          const { token: kept } = owner;
          await logIn(PASSWORD);
          expect([kept === token, (await call('DELETE', 'sessions')).status]).toEqual([false, 200]);
        },
        ['session.logged-in', 'session.others-ended'],
      ],
      [() => call('POST', 'log-out'), ['session.logged-out']],
      [
        async () => {
          for (let opened = 0; opened < 51; opened++) await logIn(PASSWORD);
        },
        [...Array(50).fill('session.logged-in'), 'session.oldest-ended', 'session.logged-in'],
      ],
      [() => call('DELETE', 'sessions'), ['session.others-ended']],
      [() => logIn(PASSWORD), ['session.logged-in']],
    ];
    for (const [i, [happens, expected]] of steps.entries()) {
      expect([i, await entriesOf(happens)]).toEqual([i, expected]);
    }
    secrets.add(owner.key).add(owner.token);
  });

  it('S117: each change to keys, profile, address, password and billing details writes one entry', async () => {
    let id = '';
    let link = '';
    const key = async (method: Method, path: string, body?: object) => {
      const { body: changed } = await call(method, `keys${path && `/${id}${path}`}`, body);
      id = changed?.id ?? id;
    };
    const authorization = `Bearer ${account.tokenOf('billing')}`;
    const headers = { authorization, 'x-account-id': owner.accountId };
    const url = '/internal/billing-contact';
    const change = (current_password: string) =>
      call('POST', 'password/change', { current_password, password: PASSWORD });
    const contact = () => account.service.app.inject({ url, headers });
    const steps: [happens: () => Promise<unknown>, expected: string][] = [
      [() => key('POST', '', KEY), 'key.created'],
      [async () => call('PATCH', `keys/${id}`, { name: 'Other' }), 'key.updated'],
      [() => key('POST', '/rotate', { overlap: 'now' }), 'key.rotated'],
      [async () => call('DELETE', `keys/${id}`), 'key.revoked'],
      [() => key('POST', '/reissue'), 'key.reissued'],
      [() => call('PATCH', 'account', { first_name: 'Grace' }), 'profile.updated'],
      [() => call('PUT', 'billing-details', DETAILS), 'billing-details.changed'],
      [() => call('GET', 'account/export'), 'account.exported'],
      [contact, 'billing-details.read'],
      [() => call('POST', 'account/email', { email: NEXT_EMAIL }), 'address.requested'],
      [
        async () => call('POST', 'account/email/confirm', { token: await linkTo(NEXT_EMAIL) }),
        'address.changed',
      ],
      [
        async () => {
          await call('POST', 'password/forgot', { email: NEXT_EMAIL });
          link = await linkTo(NEXT_EMAIL);
        },
        'password.reset-requested',
      ],
      [() => call('POST', 'password/reset', { token: link, password: NEXT }), 'password.reset'],
      [() => logIn(NEXT, NEXT_EMAIL), 'session.logged-in'],
      [() => change(WRONG), 'session.reauthentication-failed'],
      [() => change(NEXT), 'password.changed'],
    ];
    for (const [happens, expected] of steps) expect(await entriesOf(happens)).toEqual([expected]);
  });

  it('S117: an operator’s inspection of an account writes one entry', async () => {
    const inspect = () => account.operator('inspect', owner.accountId, {});
    expect(await entriesOf(inspect)).toEqual(['account.inspected']);
  });

  it('S117: setting up, using, changing and removing a second factor, and wrong codes, write exactly their own entries', async () => {
    let step = '';
    const inStep = (code: string) =>
      account.dashboard('POST', 'log-in/code', {
        body: { code },
        headers: { 'x-step-token': step },
      });
    const setUp = async () => {
      const { body } = await call('POST', 'second-factor');
      const { body: confirmed } = await call('POST', 'second-factor/confirm', {
        code: appCode(body.secret, account.clock.now()),
      });
      codes = confirmed.recovery_codes;
      for (const secret of [body.secret, ...codes]) secrets.add(secret);
    };
    let codes: string[] = [];
    const steps: [happens: () => Promise<unknown>, expected: string[]][] = [
      [() => call('POST', 'second-factor/confirm', { code: 'wrong' }), []],
      [setUp, ['second-factor.begun', 'second-factor.set-up']],
      [
        async () => (step = String((await logIn(PASSWORD, NEXT_EMAIL)).headers['x-set-step'])),
        ['session.code-asked'],
      ],
      [() => inStep('wrong'), ['session.code-failed']],
      [() => inStep(codes[0]), ['session.logged-in']],
      [
        async () =>
          (codes = (await call('POST', 'second-factor/recovery-codes', { code: codes[1] })).body
            .recovery_codes),
        ['second-factor.codes-made'],
      ],
      [() => call('POST', 'second-factor/remove', { code: 'wrong' }), ['second-factor.refused']],
      [() => call('POST', 'second-factor/remove', { code: codes[0] }), ['second-factor.removed']],
      [
        () => account.operator('lift-second-factor', owner.accountId, { reason: 'a test' }),
        ['second-factor.lifted'],
      ],
    ];
    for (const [i, [happens, expected]] of steps.entries()) {
      expect([i, await entriesOf(happens)]).toEqual([i, expected]);
    }
  });

  it('S117: a log-in with a provider, its connection and its disconnection write one entry each', async () => {
    const simulator = new IdentitySimulator();
    const settings = await simulator.start();
    Object.assign(account.config, {
      googleClientId: settings.GOOGLE_CLIENT_ID,
      googleClientSecret: settings.GOOGLE_CLIENT_SECRET,
      googleIssuer: settings.GOOGLE_ISSUER,
    });
    const asStranger = 'log-in/providers/google';
    const comeBy = async (path: string, email: string) => {
      const asked = await call('POST', path, {});
      const body = new URLSearchParams({ email });
      const sent = await fetch(asked.body.url, { method: 'POST', redirect: 'manual', body });
      const query = new URL(sent.headers.get('location') ?? '').search;
      const headers = { 'x-step-token': String(asked.headers['x-set-step']) };
      const came = { token: path === asStranger ? undefined : token, body: { query }, headers };
      const answer = await account.dashboard('POST', 'log-in/return', came);
      // The stranger has another browser, with a session of its own.
      if (path !== asStranger) secrets.add((token = String(answer.headers['x-set-session'])));
    };
    expect(await entriesOf(() => comeBy(asStranger, 'came@example.com'))).toEqual([
      'registration.by-provider',
    ]);
    expect(await entriesOf(() => comeBy('identities/google', NEXT_EMAIL))).toEqual([
      'identity.linked',
    ]);
    const [{ id }] = (await call('GET', 'identities')).body.identities;
    expect(await entriesOf(() => call('DELETE', `identities/${id}`))).toEqual(['identity.removed']);
    await simulator.stop();
  });

  it('S117: adding, using, rejecting and removing a passkey, and detecting a copy, write one entry each', async () => {
    const passkey = new SoftwarePasskey(account.config.dashboardUrl);
    let options: { challenge: string };
    const inStep = async (path: string, body: () => object) => {
      const asked = await call('POST', `${path}/options`, {});
      ({ options } = asked.body);
      secrets.add(options.challenge);
      const headers = { 'x-step-token': String(asked.headers['x-set-step']) };
      const sent = { token, body: body(), headers };
      const session = (await account.dashboard('POST', path, sent)).headers['x-set-session'];
      if (typeof session === 'string') secrets.add((token = session));
    };
    const logInBy = (credential?: string) =>
      inStep('log-in/passkey', () => ({ credential: credential ?? passkey.use(options) }));
    const add = () =>
      inStep('passkeys', () => ({ name: 'A telephone', credential: passkey.make(options) }));
    const change = async (method: Method, body?: object) => {
      const [{ id }] = (await call('GET', 'passkeys')).body.passkeys;
      await call(method, `passkeys/${id}`, body);
    };
    secrets.add('A telephone').add(passkey.id.toString('base64url'));
    const countTo = (uses: number) => {
      passkey.count = uses;
      return logInBy();
    };
    const steps: [happens: () => Promise<unknown>, expected: string][] = [
      [add, 'passkey.added'],
      [() => countTo(5), 'session.logged-in-by-passkey'],
      [() => countTo(4), 'passkey.count-fell'],
      [() => logInBy('{}'), 'session.passkey-failed'],
      [() => change('PATCH', { name: 'A telephone' }), 'passkey.renamed'],
      [() => change('DELETE'), 'passkey.removed'],
    ];
    for (const [happens, expected] of steps) expect(await entriesOf(happens)).toEqual([expected]);
  });

  it('S117: suspending an account and ending the suspension write one entry each', async () => {
    for (const verb of ['suspend', 'unsuspend']) {
      const act = () => account.operator(verb, owner.accountId, { reason: 'a test' });
      expect(await entriesOf(act)).toEqual([`account.${verb}ed`]);
    }
  });

  it('S117: too many attempts, and attempts that come too early, cause only one entry per network and window', async () => {
    account.clock.advance(HOUR_MS);
    for (let i = 0; i < 5; i++) await logIn(WRONG, NEXT_EMAIL, '198.51.100.1');
    const early = () => logIn(WRONG, NEXT_EMAIL, '198.51.100.1');
    expect(await entriesOf(early)).toEqual(['attempts.delayed']);
    const floods: [happens: (i: number) => Promise<unknown>, most: number][] = [
      [(i) => logIn(WRONG, `nobody${i}@example.com`, '198.51.100.3'), 20],
      [
        (i) => call('POST', 'password/forgot', { email: `nobody${i}@example.com` }, '198.51.100.4'),
        10,
      ],
    ];
    for (const [happens, most] of floods) {
      const entries = await entriesOf(async () => {
        for (let i = 0; i < most + 3; i++) await happens(i);
      });
      expect(entries.filter((action) => action === 'attempts.limited')).toHaveLength(1);
    }
    await logIn(PASSWORD, NEXT_EMAIL);
  });

  it.each(RECENT.map(([method, path, body]) => ({ method, path, body })))(
    'S117: $method $path, refused because the log-in is old, writes one entry',
    async ({ method, path, body }) => {
      account.clock.advance(11 * MINUTE_MS);
      expect(await entriesOf(() => call(method, path, body))).toEqual(['session.refused']);
    },
  );

  it('S117: the deletion of an account and its restoration write one entry each', async () => {
    account.clock.advance(30 * SECOND_MS);
    const remove = (password: string) => () => call('POST', 'account/delete', { password });
    expect(await entriesOf(remove(WRONG))).toEqual(['session.reauthentication-failed']);
    expect(await entriesOf(remove(PASSWORD))).toEqual(['account.deleted']);
    expect(await entriesOf(() => logIn(PASSWORD, NEXT_EMAIL))).toEqual(['session.logged-in']);
    expect(await entriesOf(() => call('POST', 'account/restore'))).toEqual(['account.restored']);
    expect(await entriesOf(remove(PASSWORD))).toEqual(['account.deleted']);
    expect(await entriesOf(() => logIn(PASSWORD, NEXT_EMAIL))).toEqual(['session.logged-in']);
  });

  it.each(CLOSED.map(([method, path, body]) => ({ method, path, body })))(
    'S117: $method $path, refused because the account is deleted, writes one entry',
    async ({ method, path, body }) => {
      expect(await entriesOf(() => call(method, path, body))).toEqual(['session.refused']);
    },
  );

  it('S117: the erasure of an account writes one entry', async () => {
    const erase = async () => {
      account.clock.advance(91 * DAY_MS);
      // The service's own job may already have erased the account.
      await account.get(ErasureService).eraseDue();
    };
    expect(await entriesOf(erase)).toEqual(['account.erased']);
  });

  it('S117: every action in the code is recorded, and no entry contains a secret', async () => {
    const folder = 'apps/account/src';
    const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
      .map((path) => readFileSync(join(folder, path), 'utf8'))
      .join('\n');
    const inCode = source.matchAll(
      /(?:action: |transaction, (?:owner|by), |INSPECTION = )'([a-z-]+\.[a-z-]+)'/g,
    );
    expect([...done].toSorted()).toEqual(
      [...new Set([...inCode].map(([, name]) => name))].toSorted(),
    );
    const rows = JSON.stringify(await auditor.query('select t::text from audit t'));
    for (const secret of secrets) expect(rows).not.toContain(secret);
  });
});
