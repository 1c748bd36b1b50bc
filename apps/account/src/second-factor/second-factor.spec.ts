import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#libs/platform';
import {
  AccountUnderTest,
  PASSWORD,
  type Registered,
} from '../../../../test/account/account-under-test.js';
import { ErasureService } from '../deletion/erasure.service.js';
import { base32, codeOf, stepOf } from './totp.js';
import { secretOf } from '../../../../test/account/authenticator-app.js';

const STEP_MS = 30 * SECOND_MS;
const NEXT_PASSWORD = 'nine yellow trumpets';

describe('second factor', () => {
  let account: AccountUnderTest;
  let email: string;
  let owner: Registered;
  let token: string;
  let secret: Buffer;
  let codes: string[];
  let count = 0;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
  });
  afterAll(() => account.stop());
  beforeEach(async () => {
    account.clock.advance(HOUR_MS);
    email = `person${++count}@example.com`;
    owner = await account.register(email);
    ({ token } = owner);
    await setUp();
  });

  const codeAt = (steps: number) => codeOf(secret, stepOf(account.clock.now()) + steps);
  const tokenOf = ({ headers }: { headers: Record<string, unknown> }) =>
    String(headers['x-set-session']);
  const own = (path: string, code?: string) =>
    account.dashboard('POST', `second-factor${path}`, { token, body: code ? { code } : {} });
  const session = (of: string) => account.dashboard('GET', 'session', { token: of });
  const subjects = async () => (await account.mailsTo(email)).map(({ subject }) => subject);

  async function setUp(): Promise<void> {
    const { body } = await own('');
    secret = secretOf(body.secret);
    const confirmed = await own('/confirm', codeAt(0));
    token = tokenOf(confirmed);
    codes = confirmed.body.recovery_codes;
    account.clock.advance(2 * STEP_MS);
  }

  const logIn = (password = PASSWORD) =>
    account.dashboard('POST', 'log-in', { body: { email, password } });
  const firstStep = async () => String((await logIn()).headers['x-set-step']);
  const secondStep = (step: string, code: string) =>
    account.dashboard('POST', 'log-in/code', { body: { code }, headers: { 'x-step-token': step } });
  const logInWith = async (code: string) => secondStep(await firstStep(), code);

  // The codes of RFC 6238, appendix B, reduced to the last six of eight digits.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ])('%i seconds after the epoch, the code is %s, as in RFC 6238', (seconds, code) => {
    const rfc = Buffer.from('12345678901234567890');
    expect(codeOf(rfc, stepOf(new Date(seconds * SECOND_MS)))).toBe(code);
    expect(base32(rfc)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  });

  it('S33: the password alone does not log in; the same browser continues with a code', async () => {
    const { status, body, headers } = await logIn();
    expect([status, body, headers['x-set-session']]).toEqual([200, { needs: 'code' }, undefined]);
    const step = String(headers['x-set-step']);
    expect((await session(step)).status).toBe(401);
    const elsewhere = await secondStep(`${step.slice(1)}A`, codeAt(0));
    expect(elsewhere).toMatchObject({ status: 410, body: { code: 'log_in_over' } });
    const opened = await secondStep(step, codeAt(0));
    expect([opened.status, (await session(tokenOf(opened))).status]).toEqual([200, 200]);
    expect((await secondStep(step, codeAt(1))).status).toBe(410);
  });

  it('S33: a code is accepted at most one step early or late, and only once', async () => {
    for (const [steps, status] of [
      [-2, 401],
      [2, 401],
      [-1, 200],
      [1, 200],
    ]) {
      expect([steps, (await logInWith(codeAt(steps))).status]).toEqual([steps, status]);
    }
    // Codes of the last accepted step and of earlier steps are not accepted again.
    for (const steps of [1, 0, -1]) expect((await logInWith(codeAt(steps))).status).toBe(401);
  });

  it('S33: only one of five simultaneous log-ins with the same code succeeds', async () => {
    const steps = await Promise.all(Array.from({ length: 5 }, firstStep));
    const answers = await Promise.all(steps.map((step) => secondStep(step, codeAt(0))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401]);
  });

  it('S33: a log-in has five attempts; after that, the next log-in has to wait', async () => {
    const step = await firstStep();
    for (let i = 0; i < 5; i++) expect((await secondStep(step, 'wrong')).status).toBe(401);
    expect((await secondStep(step, codeAt(0))).body.code).toBe('log_in_over');
    expect(await logInWith(codeAt(0))).toMatchObject({ status: 429, body: { retry_after: 2 } });
    account.clock.advance(2 * SECOND_MS);
    expect((await logInWith(codeAt(0))).status).toBe(200);
  });

  it('S33: a session has five attempts to change the second factor; after that, the next one has to wait', async () => {
    for (let i = 0; i < 5; i++) expect((await own('/remove', 'wrong')).status).toBe(401);
    for (const path of ['/remove', '/recovery-codes']) {
      expect(await own(path, codeAt(0))).toMatchObject({ status: 429, body: { retry_after: 2 } });
    }
    account.clock.advance(2 * SECOND_MS);
    expect((await own('/remove', codeAt(0))).status).toBe(200);
  });

  it('S33: an unfinished log-in ends after ten minutes, and when the password changes', async () => {
    const late = await firstStep();
    account.clock.advance(10 * MINUTE_MS);
    expect((await secondStep(late, codeAt(0))).body.code).toBe('log_in_over');
    const thief = await firstStep();
    const body = { current_password: PASSWORD, password: NEXT_PASSWORD };
    token = tokenOf(await account.dashboard('POST', 'password/change', { token, body }));
    expect((await secondStep(thief, codeAt(0))).body.code).toBe('wrong_credentials');
    expect((await session(token)).status).toBe(200);
  });

  it('S33: there are ten recovery codes of 120 bits; a code logs in once, the owner is notified, and new codes replace all old codes', async () => {
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{6}-){3}[A-Z2-7]{6}$/);
    const dump = await account.dump();
    for (const secretText of [...codes, base32(secret), secret.toString('hex')]) {
      expect(dump).not.toContain(secretText);
    }
    const typed = codes[0].toLowerCase().replaceAll('-', ' ');
    expect((await logInWith(typed)).status).toBe(200);
    expect((await logInWith(codes[0])).status).toBe(401);
    expect((await subjects())[0]).toBe('A recovery code was used');
    const { body } = await account.dashboard('GET', 'second-factor', { token });
    expect(body).toMatchObject({ recovery_codes: 9 });
    expect((await own('/recovery-codes', '000000')).status).toBe(401);
    const renewed = await own('/recovery-codes', codes[2]);
    token = tokenOf(renewed);
    const fresh: string[] = renewed.body.recovery_codes;
    expect((await logInWith(codes[1])).status).toBe(401);
    expect((await logInWith(fresh[9])).status).toBe(200);
  });

  it('S26, S35: setting up and removing an app requires a recently entered password and issues a new token', async () => {
    const before = token;
    expect((await session(owner.token)).status).toBe(401);
    expect((await own('')).body.code).toBe('second_factor_on');
    // Neither the password alone nor a used code is sufficient.
    for (const code of ['000000', codeAt(-2)])
      expect((await own('/remove', code)).status).toBe(401);
    token = tokenOf(await own('/remove', codeAt(0)));
    expect((await session(before)).status).toBe(401);
    expect(await subjects()).toEqual([
      'The authenticator app was removed',
      'An authenticator app was set up',
      'Confirm your e-mail address',
    ]);
    expect((await session(tokenOf(await logIn()))).status).toBe(200);
    account.clock.advance(11 * MINUTE_MS);
    for (const [path, code] of [
      [''],
      ['/confirm', '1'],
      ['/recovery-codes', '1'],
      ['/remove', '1'],
    ]) {
      expect([path, (await own(path, code)).body.code]).toEqual([
        path,
        'reauthentication_required',
      ]);
    }
  });

  it('the e-mail about a new app says that the operator can remove an app that somebody else has set up', async () => {
    const [{ text }] = await account.mailsTo(email);
    expect(text).toContain('an authenticator app was set up');
    expect(text).toContain('write to the operator, who can remove the app');
  });

  it('an app that was never confirmed is not required at log-in, and its set-up can be started again', async () => {
    token = tokenOf(await own('/remove', codeAt(0)));
    const first = secretOf((await own('')).body.secret);
    const second = secretOf((await own('')).body.secret);
    expect((await logIn()).headers['x-set-session']).toBeDefined();
    const now = stepOf(account.clock.now());
    expect((await own('/confirm', codeOf(first, now))).status).toBe(401);
    expect((await own('/confirm', codeOf(second, now))).status).toBe(200);
  });

  it('an operator removes the app of an owner who lost it, and the owner is notified', async () => {
    const lift = () => account.operator('lift-second-factor', owner.accountId, { reason: 'lost' });
    expect(await lift()).toEqual({ hasChanged: true });
    expect(await lift()).toEqual({ hasChanged: false });
    expect((await subjects())[0]).toBe('The authenticator app was removed by the operator');
    expect((await logIn()).headers['x-set-session']).toBeDefined();
    const before = await subjects();
    expect((await own('')).status).toBe(200);
    expect([await lift(), await subjects()]).toEqual([{ hasChanged: false }, before]);
  });

  it('the export contains the time at which an app was set up but not its secret, and an erasure deletes the second factor', async () => {
    const exported = await account.dashboard('GET', 'account/export', { token });
    const [app] = exported.body.second_factors;
    expect(Object.keys(app)).toEqual(['person_id', 'account_id', 'created_at', 'confirmed_at']);
    await firstStep();
    const body = { password: PASSWORD };
    expect((await account.dashboard('POST', 'account/delete', { token, body })).status).toBe(200);
    account.clock.advance(91 * DAY_MS);
    await account.get(ErasureService).eraseDue();
    for (const table of ['second_factors', 'recovery_codes', 'log_in_steps']) {
      const rows = await account.database.query(`select from ${table} where account_id = $1`, [
        owner.accountId,
      ]);
      expect([table, rows]).toEqual([table, []]);
    }
  });
});
