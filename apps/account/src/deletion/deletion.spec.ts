import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hashApiKey } from '#libs/contracts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/platform';
import { recordedEvents } from '#test/environment';
import {
  AccountUnderTest,
  PASSWORD,
  type Registered,
} from '../../../../test/account/account-under-test.js';
import { RestoreTooLate } from '../accounts/accounts.errors.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditCheckService } from '../audit-check/audit-check.service.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import { ForgetSignUpsJob } from '../registration/forget-sign-ups.job.js';
import { JOBS } from '../start.js';
import { EraseJob } from './erase.job.js';

describe('deletion', () => {
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
    email = `leaving${++count}@example.com`;
    owner = await account.register(email);
  });

  const call = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH',
    path: string,
    token: string,
    body = {},
  ) => account.dashboard(method, path, { token, ...(method !== 'GET' && { body }) });
  const deleteAccount = () => call('POST', 'account/delete', owner.token);
  const logIn = () => account.dashboard('POST', 'log-in', { body: { email, password: PASSWORD } });
  const logInToken = async () => String((await logIn()).headers['x-set-session']);
  const recordOf = (key: string) =>
    account.client.findKey(hashApiKey(key, account.config.keyPepper));
  const events = async () =>
    (await recordedEvents(account.database))
      .filter(({ key }) => key === owner.accountId)
      .map(({ type, data }) => ({ type, data }));

  it('S28, S118: a deletion revokes all keys, ends all sessions and notifies the owner by e-mail', async () => {
    const now = account.clock.now();
    const restoreUntil = new Date(now.getTime() + 90 * DAY_MS).toISOString();
    const before = (await events()).length;
    const elsewhere = await logInToken();
    const { status, body, headers } = await deleteAccount();
    expect({ status, until: body.restorable_until }).toEqual({ status: 200, until: restoreUntil });
    expect(body.consequences.join()).toMatch(/forfeited/);
    expect(headers['x-clear-session']).toBe('1');
    const [live, test] = [await recordOf(owner.key), await recordOf(owner.testKey)];
    for (const record of [live, test]) {
      expect(record).toMatchObject({
        state: 'revoked',
        accountState: 'deleted',
        restorableUntil: restoreUntil,
      });
    }
    for (const token of [owner.token, elsewhere]) {
      expect((await call('GET', 'session', token)).status).toBe(401);
    }
    expect((await events()).slice(before)).toEqual(
      [
        {
          type: 'account.account-deleted',
          data: { deletedAt: now.toISOString(), restoreUntil },
        },
        { type: 'account.api-key-changed', data: { keyId: live?.keyId, state: 'revoked' } },
        { type: 'account.api-key-changed', data: { keyId: test?.keyId, state: 'revoked' } },
      ].sort((a, b) => order(a.data) - order(b.data)),
    );
    const [{ subject, text }] = await account.mailsTo(email);
    expect(subject).toBe('Your account was deleted');
    expect(text).toContain(`log in before ${restoreUntil.slice(0, 16).replace('T', ' ')} UTC`);

    function order(data: object): number {
      if (!('keyId' in data)) return 0;
      return String(live?.keyId) < String(test?.keyId) === (data.keyId === live?.keyId) ? 1 : 2;
    }
  });

  it('a log-in to a deleted account leads only to the restore page', async () => {
    const { body } = await deleteAccount();
    const token = await logInToken();
    const session = await call('GET', 'session', token);
    expect(session.body).toMatchObject({
      account_state: 'deleted',
      restorable_until: body.restorable_until,
    });
    for (const path of ['keys', 'account', 'sessions', 'billing-details']) {
      expect(await call('GET', path, token)).toMatchObject({
        status: 403,
        body: { code: 'account_deleted', restorable_until: body.restorable_until },
      });
    }
    expect((await call('POST', 'account/delete', token)).body.code).toBe('account_deleted');
  });

  it('S118: an account can be restored until just before 90 days have passed, and a revoked key can then be reissued', async () => {
    await deleteAccount();
    account.clock.advance(90 * DAY_MS - 1);
    const token = await logInToken();
    const before = (await events()).length;
    expect((await call('POST', 'account/restore', token)).body).toEqual({
      account_state: 'active',
    });
    expect((await call('POST', 'account/restore', token)).status).toBe(200);
    expect((await events()).slice(before)).toEqual([
      {
        type: 'account.account-restored',
        data: { restoredAt: account.clock.now().toISOString() },
      },
    ]);
    expect(await recordOf(owner.key)).toMatchObject({ state: 'revoked', accountState: 'active' });
    const { keys } = (await call('GET', 'keys', token)).body;
    const first = keys.find((key: { environment: string }) => key.environment === 'live');
    expect(first).toMatchObject({ state: 'revoked', revoked_because: 'deletion' });
    const reissued = await call('POST', `keys/${first.id}/reissue`, token);
    expect(reissued.body).toMatchObject({ name: first.name, scopes: first.scopes });
    expect(await recordOf(reissued.body.key)).toMatchObject({ state: 'active', rank: 1 });
  });

  it('the e-mail about a restoration does not say that a suspended account works again', async () => {
    const mailed = async () => {
      await call('POST', 'account/delete', await logInToken());
      await call('POST', 'account/restore', await logInToken());
      return (await account.mailsTo(email))[0].text;
    };
    const text = await mailed();
    expect(text).toContain('your account works again');
    expect(text).toContain('Plans that have ended and jobs that were cancelled stay ended.');
    await account.operator('suspend', owner.accountId, { reason: 'chargebacks' });
    expect(await mailed()).toContain('your account was restored, but is still suspended');
  });

  it('S118: after the deadline a restore is rejected, even if the erasure has not run yet', async () => {
    await deleteAccount();
    account.clock.advance(90 * DAY_MS - MINUTE_MS);
    const token = await logInToken();
    account.clock.advance(MINUTE_MS);
    const late = await call('POST', 'account/restore', token);
    expect(late).toMatchObject({ status: 410, body: { code: 'restore_too_late' } });
    await account.get(EraseJob).runOnce();
    expect((await call('POST', 'account/restore', token)).status).toBe(401);
    // This call stands for a request whose session was read just before the erasure.
    const accounts = account.get(AccountsService);
    const restored = accounts.transaction((transaction) =>
      accounts.restore(transaction, owner.accountId),
    );
    await expect(restored).rejects.toThrow(RestoreTooLate);
    expect(await logIn()).toMatchObject({ status: 401, body: { code: 'wrong_credentials' } });
    expect(await recordOf(owner.key)).toMatchObject({ accountState: 'erased', state: 'revoked' });
    expect((await events()).at(-1)).toEqual({
      type: 'account.account-erased',
      data: { erasedAt: account.clock.now().toISOString() },
    });
    const last = (await events()).length;
    await account.get(EraseJob).runOnce();
    expect(await events()).toHaveLength(last);
  });

  it.each([[EraseJob], [ForgetSignUpsJob]])(
    '%p, if it fails, is late, which raises an alarm',
    (type) => {
      expect(JOBS.find(({ job }) => job === type)).toMatchObject({ runs: 'installation' });
    },
  );

  it('S118, S119: after an erasure no table, event or log line contains a name, address, company or IP address, and the account’s data keys are destroyed', async () => {
    const details = {
      organisation: 'Example Holdings',
      address_line1: '1 Quayside',
      city: 'Leith',
      country: 'GB',
    };
    expect((await call('PUT', 'billing-details', owner.token, details)).status).toBe(200);
    // A short name could occur in random ids and ciphertexts by chance.
    const firstName = 'Ada of the Erasure';
    const renamed = await call('PATCH', 'account', owner.token, { first_name: firstName });
    expect(renamed.status).toBe(200);
    await account.dashboard('POST', 'keys', {
      token: owner.token,
      body: {
        name: 'Quayside office',
        environment: 'test',
        allowed_addresses: ['198.51.100.77'],
      },
      headers: { 'idempotency-key': 'quayside' },
    });
    await deleteAccount();
    await account.mailsTo(email);
    account.clock.advance(90 * DAY_MS);
    await account.get(EraseJob).runOnce();
    const written = JSON.stringify([await recordedEvents(account.database), account.logLines]);
    const dump = (await account.dump()) + written;
    for (const text of [
      email,
      'Example Holdings',
      'Quayside',
      '192.0.2.1',
      '198.51.100.77',
      firstName,
    ]) {
      expect(dump).not.toContain(text);
    }
    const [{ keys }] = await account.database.query<{ keys: number }>(
      'select count(*)::int as keys from data_keys where account_id = $1',
      [owner.accountId],
    );
    expect(keys).toBe(0);
    expect(account.logLines.join()).not.toContain(email);
    expect(await account.get(AuditCheckService).verify()).toMatchObject({ brokenAt: null });
  });

  it('an erasure also makes the IP address of the sign-up in the installation’s log unreadable', async () => {
    const [{ origin }] = await account.database.query<{ origin: Buffer }>(
      `select origin from audit where action = 'registration.requested' and object = $1`,
      [`sign-up:${owner.accountId}`],
    );
    const read = (accountId: string | null) =>
      account
        .get(AccountsService)
        .transaction((transaction) =>
          account.get(PersonalDataService).decrypt(transaction, accountId, origin),
        );
    expect(await read(owner.accountId)).toEqual(['192.0.2.1', 'a browser']);
    await expect(read(null)).rejects.toThrow();
    await deleteAccount();
    account.clock.advance(90 * DAY_MS);
    await account.get(EraseJob).runOnce();
    await expect(read(owner.accountId)).rejects.toThrow('is destroyed');
  });

  it('after an erasure, the same address can sign up again, with the same trial claim', async () => {
    await deleteAccount();
    account.clock.advance(90 * DAY_MS);
    await account.get(EraseJob).runOnce();
    const again = await account.register(email);
    expect(again.accountId).not.toBe(owner.accountId);
    const claims = (await recordedEvents(account.database))
      .filter(({ type }) => type === 'account.account-registered')
      .filter(({ key }) => [owner.accountId, again.accountId].includes(key))
      .map(({ data }) => data.trialClaim);
    expect(claims[0]).toBe(claims[1]);
  });

  it('S35: deleting requires the password, in the request or within the last 10 minutes', async () => {
    account.clock.advance(11 * MINUTE_MS);
    expect((await deleteAccount()).body.code).toBe('reauthentication_required');
    const withPassword = (password: string) =>
      call('POST', 'account/delete', owner.token, { password });
    expect((await withPassword('a wrong password')).body.code).toBe('wrong_credentials');
    expect((await withPassword(PASSWORD)).status).toBe(200);
  });

  it('S118: an account that cannot be erased does not keep others from being erased', async () => {
    const stuck = owner.accountId;
    await deleteAccount();
    account.clock.advance(HOUR_MS);
    owner = await account.register(`after-${email}`);
    await deleteAccount();
    account.clock.advance(91 * DAY_MS);
    await account.asSuperuser(
      `create function stuck() returns trigger language plpgsql as 'begin raise ''stuck''; end';
       create trigger stuck before update on accounts for each row
         when (new.id = '${stuck}') execute function stuck()`,
    );
    try {
      await expect(account.get(EraseJob).runOnce()).rejects.toThrow('1 account not erased');
      const states = await account.database.query(
        'select state from accounts where id in ($1, $2) order by id',
        [stuck, owner.accountId],
      );
      expect(states).toEqual([{ state: 'deleted' }, { state: 'erased' }]);
    } finally {
      await account.asSuperuser('drop trigger stuck on accounts; drop function stuck');
    }
    await account.get(EraseJob).runOnce();
  });

  it('parallel deletions delete the account only once', async () => {
    const before = (await events()).length;
    const answers = await Promise.all(Array.from({ length: 5 }, deleteAccount));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const types = (await events()).slice(before).map(({ type }) => type);
    expect(types.filter((type) => type === 'account.account-deleted')).toHaveLength(1);
  });
});
