import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#libs/platform';
import {
  AccountUnderTest,
  type DashboardAnswer,
  PASSWORD,
  type Registered,
} from '../../../../test/account/account-under-test.js';
import { appCode } from '../../../../test/account/authenticator-app.js';
import { type Said, SoftwarePasskey } from '../../../../test/account/software-passkey.js';
import { ErasureService } from '../deletion/erasure.service.js';

const ORIGIN = 'https://dashboard.example';
const [PRESENT, NEW_KEY] = [0x01, 0x40];

describe('passkeys', () => {
  let account: AccountUnderTest;
  let email: string;
  let owner: Registered;
  let token: string;
  let passkey: SoftwarePasskey;
  let count = 0;

  beforeAll(async () => {
    account = await AccountUnderTest.start({ dashboardUrl: ORIGIN });
  });
  afterAll(() => account.stop());
  beforeEach(async () => {
    account.clock.advance(HOUR_MS);
    email = `person${++count}@example.com`;
    owner = await account.register(email);
    ({ token } = owner);
    passkey = new SoftwarePasskey(ORIGIN);
  });

  const call = (path: string, body: object = {}, step = '', by?: string) =>
    account.dashboard('POST', path, { body, token: by, headers: { 'x-step-token': step } });
  const tokenOf = ({ headers }: DashboardAnswer) => String(headers['x-set-session']);
  const stepOf = ({ headers }: DashboardAnswer) => String(headers['x-set-step']);
  const session = async (of: string) =>
    (await account.dashboard('GET', 'session', { token: of })).status;
  const list = async () =>
    (await account.dashboard('GET', 'passkeys', { token })).body.passkeys as { id: string }[];
  const remove = (id: string, by = token) =>
    account.dashboard('DELETE', `passkeys/${id}`, { token: by });
  const subjects = async () => (await account.mailsTo(email)).map(({ subject }) => subject);

  async function add(by = token, said?: Said, made = passkey): Promise<DashboardAnswer> {
    const asked = await call('passkeys/options', {}, '', by);
    const credential = made.make(asked.body.options, said);
    const answer = await call('passkeys', { name: 'Laptop', credential }, stepOf(asked), by);
    if (answer.status === 200 && by === token) token = tokenOf(answer);
    return answer;
  }

  const begin = () => call('log-in/passkey/options');
  const finish = (asked: DashboardAnswer, said?: Said, used = passkey) =>
    call('log-in/passkey', { credential: used.use(asked.body.options, said) }, stepOf(asked));
  const logIn = async (said?: Said) => finish(await begin(), said);

  it('S34: a passkey logs its owner in without a password or a code, and the owner is notified when it is added', async () => {
    const { body } = await call('second-factor', {}, '', token);
    const code = appCode(body.secret, account.clock.now());
    token = tokenOf(await call('second-factor/confirm', { code }, '', token));
    const added = await add();
    expect(added.body).toMatchObject({ name: 'Laptop', last_used_at: null });
    expect((await subjects())[0]).toBe('A passkey was added to your account');
    account.clock.advance(MINUTE_MS);
    const asked = await begin();
    expect(asked.body.options).toMatchObject({
      rpId: 'dashboard.example',
      userVerification: 'required',
    });
    expect(asked.body.options.allowCredentials ?? []).toEqual([]);
    const opened = await finish(asked);
    expect([opened.body.account_id, await session(tokenOf(opened))]).toEqual([
      owner.accountId,
      200,
    ]);
    expect(opened.headers['x-set-device']).toBeDefined();
    const used = account.clock.now().toISOString();
    expect(await list()).toMatchObject([{ name: 'Laptop', last_used_at: used }]);
    const dump = await account.dump();
    expect(dump).not.toContain('Laptop');
  });

  it('S34: a challenge works once, for five minutes, in the browser that requested it', async () => {
    await add();
    const asked = await begin();
    expect((await finish(asked)).status).toBe(200);
    expect(await finish(asked)).toMatchObject({ status: 410, body: { code: 'log_in_over' } });
    const refused = await begin();
    expect((await finish(refused, { origin: 'https://elsewhere.example' })).status).toBe(401);
    expect((await finish(refused)).body.code).toBe('log_in_over');
    const [one, other] = [await begin(), await begin()];
    const swapped = { ...one, body: other.body };
    expect((await finish(swapped)).body.code).toBe('passkey_refused');
    expect((await finish({ ...other, headers: {} })).body.code).toBe('log_in_over');
    const five = await Promise.all(Array.from({ length: 5 }, () => finish(other)));
    expect(five.map(({ status }) => status).toSorted()).toEqual([200, 410, 410, 410, 410]);
    const late = await begin();
    account.clock.advance(5 * MINUTE_MS);
    expect((await finish(late)).body.code).toBe('log_in_over');
  });

  it('S34: a challenge for a log-in cannot add a passkey; a challenge for adding a passkey can neither log in nor be used in another session', async () => {
    await add();
    const toAdd = await call('passkeys/options', {}, '', token);
    expect((await finish(toAdd)).body.code).toBe('log_in_over');
    const toLogIn = await begin();
    const next = new SoftwarePasskey(ORIGIN);
    const made = (asked: DashboardAnswer) => ({
      name: 'x',
      credential: next.make(asked.body.options),
    });
    const added = await call('passkeys', made(toLogIn), stepOf(toLogIn), token);
    expect(added.body.code).toBe('log_in_over');
    const asked = await call('passkeys/options', {}, '', token);
    const other = await account.newSession(owner);
    expect((await call('passkeys', made(asked), stepOf(asked), other)).status).toBe(410);
    expect((await call('passkeys', made(asked), stepOf(asked), token)).status).toBe(410);
    expect(await list()).toHaveLength(1);
  });

  const lies: [what: string, said: Said][] = [
    ['was made for another page', { origin: 'https://dashboard.example.evil.example' }],
    ['was made for the same host without TLS', { origin: 'http://dashboard.example' }],
    ['is bound to another host', { rpId: 'evil.example' }],
    ['answers another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['did not verify its owner', { flags: PRESENT }],
    ['reports that nobody was present', { flags: 0 }],
    ['was requested for something else', { type: 'payment.get' }],
  ];
  it.each(lies)('S34: a passkey that %s cannot log in and is not added', async (_, said) => {
    const flags = said.flags === undefined ? {} : { flags: said.flags | NEW_KEY };
    expect((await add(token, { ...said, ...flags })).body.code).toBe('passkey_refused');
    await add();
    const refused = await logIn(said);
    expect([refused.status, refused.body.code, refused.headers['x-set-session']]).toEqual([
      401,
      'passkey_refused',
      undefined,
    ]);
    expect((await logIn()).status).toBe(200);
  });

  it('S34: malformed passkeys are refused, and so are passkeys with an issuer’s certificate, because revocation lists would be fetched', async () => {
    const chain: Said['attestation'] = [
      'packed',
      new Map<string, Uint8Array | Uint8Array[] | number>([
        ['alg', -7],
        ['sig', new Uint8Array(70)],
        ['x5c', [new Uint8Array(200)]],
      ]),
    ];
    for (const attestation of [chain, ['tpm', new Map()], ['fido-u2f', new Map()]]) {
      const said = { attestation } as Said;
      expect((await add(token, said)).body.code).toBe('passkey_refused');
    }
    for (const credential of ['{}', 'null', '[]', 'no JSON', '{"id":"AA","response":{}}']) {
      const asked = await call('passkeys/options', {}, '', token);
      const answer = await call('passkeys', { name: 'x', credential }, stepOf(asked), token);
      expect([credential, answer.body.code]).toEqual([credential, 'passkey_refused']);
      const step = stepOf(await begin());
      expect((await call('log-in/passkey', { credential }, step)).body.code).toBe(
        'passkey_refused',
      );
    }
  });

  it('S34: naming another person’s passkey neither opens that person’s account nor adds the passkey', async () => {
    await add();
    const thief = await account.register(`thief-${email}`);
    const copy = new SoftwarePasskey(ORIGIN);
    const own = new SoftwarePasskey(ORIGIN);
    expect((await add(thief.token, undefined, own)).status).toBe(200);
    const [{ id: thiefs }] = await account.database.query<{ id: string }>(
      'select person_id as id from passkeys where account_id = $1',
      [thief.accountId],
    );
    const handle = Buffer.from(thiefs.replaceAll('-', ''), 'hex').toString('base64url');
    Object.assign(copy, { id: passkey.id });
    const others = await account.newSession(thief);
    expect((await add(others, undefined, copy)).body.code).toBe('passkey_refused');
    expect((await finish(await begin(), { userHandle: handle }, copy)).body.code).toBe(
      'passkey_refused',
    );
    for (const userHandle of [handle, 'AAAA']) {
      expect((await logIn({ userHandle })).body.code).toBe('passkey_refused');
    }
    const [{ id }] = await list();
    expect((await remove(id, others)).status).toBe(404);
    expect((await logIn()).body.account_id).toBe(owner.accountId);
  });

  it('S34: a counter that does not rise is rejected and the owner is notified; a counter that stays 0 is accepted', async () => {
    await add();
    expect((await logIn()).status).toBe(200);
    passkey.count = 7;
    expect((await logIn()).status).toBe(200);
    for (const copied of [7, 6, 0]) {
      passkey.count = copied;
      expect((await logIn()).body.code).toBe('passkey_refused');
      const [{ subject, text }] = await account.mailsTo(email);
      expect([subject, text]).toEqual([
        'One of your passkeys may have been copied',
        expect.stringContaining('“Laptop”'),
      ]);
    }
    passkey.count = 4_294_967_295;
    const asked = [await begin(), await begin(), await begin()];
    const answers = await Promise.all(asked.map((one) => finish(one)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
  });

  it('S34: a removed passkey does not work, even between the steps of a log-in', async () => {
    await add();
    const [{ id }] = await list();
    const asked = await begin();
    const removed = await remove(id);
    token = tokenOf(removed);
    expect((await finish(asked)).body.code).toBe('passkey_refused');
    expect([(await remove(id)).status, await list()]).toEqual([404, []]);
    expect((await subjects())[0]).toBe('A passkey was removed from your account');
  });

  it('S82: a name that a mail program would turn into a link is rejected', async () => {
    const asked = await call('passkeys/options', {}, '', token);
    const credential = passkey.make(asked.body.options);
    const name = 'log in at evil.example';
    const added = await call('passkeys', { name, credential }, stepOf(asked), token);
    expect([added.body.code, await list()]).toEqual(['invalid_request', []]);
    await add();
    const [{ id }] = await list();
    const rename = (to: string) =>
      account.dashboard('PATCH', `passkeys/${id}`, { token, body: { name: to } });
    for (const to of ['https://evil', 'evil。example', 'me@evil', 'www.evil.example/x']) {
      expect([to, (await rename(to)).body.code]).toEqual([to, 'invalid_request']);
    }
    expect((await rename('Dr. Who’s MacBook 16.2 (work)')).status).toBe(200);
  });

  it('only its owner can rename a passkey, and only the name changes', async () => {
    await add();
    const [passkeyBefore] = await list();
    const rename = (id: string, name: string, by = token) =>
      account.dashboard('PATCH', `passkeys/${id}`, { token: by, body: { name } });
    const stranger = await account.register(`stranger-${email}`);
    const { id } = passkeyBefore;
    expect((await rename(id, 'Mine', stranger.token)).status).toBe(404);
    for (const name of ['', 'x'.repeat(61), 'two\nlines']) {
      expect((await rename(id, name)).body.code).toBe('invalid_request');
    }
    expect(await list()).toEqual([passkeyBefore]);
    const renamed = { ...passkeyBefore, name: 'Office' };
    expect((await rename(id, 'Office')).body).toEqual(renamed);
    expect(await list()).toEqual([renamed]);
    expect((await logIn()).status).toBe(200);
  });

  it('S26, S35: adding or removing a passkey requires a recent log-in, and adding a passkey issues a new token', async () => {
    const before = token;
    await add();
    expect([await session(before), await session(token)]).toEqual([401, 200]);
    const [{ id }] = await list();
    const asked = await call('passkeys/options', {}, '', token);
    account.clock.advance(11 * MINUTE_MS);
    const credential = new SoftwarePasskey(ORIGIN).make(asked.body.options);
    const body = { name: 'x', credential };
    const answers = [
      await call('passkeys/options', {}, '', token),
      await call('passkeys', body, stepOf(asked), token),
      await remove(id),
    ];
    expect(answers.map(({ body: { code } }) => code)).toEqual(
      Array(3).fill('reauthentication_required'),
    );
    // Logging in with the passkey also counts as a recent proof.
    token = tokenOf(await logIn());
    expect((await remove(id)).status).toBe(200);
  });

  it('S28: a new password set with an e-mailed link removes every passkey', async () => {
    await add();
    await call('password/forgot', { email });
    const body = { token: await account.linkToken(email), password: PASSWORD };
    expect((await call('password/reset', body)).status).toBe(200);
    expect((await logIn()).body.code).toBe('passkey_refused');
    expect(await subjects()).toContain('Your passkeys were removed');
  });

  it('an account has at most ten passkeys, and the last way to log in cannot be removed', async () => {
    for (let i = 0; i < 10; i++) {
      expect((await add(token, undefined, new SoftwarePasskey(ORIGIN))).status).toBe(200);
    }
    const eleventh = await call('passkeys/options', {}, '', token);
    expect([eleventh.status, eleventh.body.code]).toEqual([409, 'too_many_passkeys']);
    await account.asSuperuser(
      `update people set password_hash = null where account_id = '${owner.accountId}'`,
    );
    const [last, ...others] = await list();
    for (const { id } of others) token = tokenOf(await remove(id));
    expect((await remove(last.id)).body.code).toBe('last_way_in');
  });

  it('an export lists the passkeys without their public keys, and an erasure deletes them', async () => {
    await add();
    const exported = await account.dashboard('GET', 'account/export', { token });
    expect(exported.body.passkeys).toMatchObject([{ name: 'Laptop' }]);
    expect(Object.keys(exported.body.passkeys[0])).not.toContain('public_key');
    expect((await call('account/delete', {}, '', token)).status).toBe(200);
    account.clock.advance(91 * DAY_MS + SECOND_MS);
    await account.get(ErasureService).eraseDue();
    const sql = 'select from passkeys where account_id = $1';
    expect(await account.database.query(sql, [owner.accountId])).toEqual([]);
  });
});
