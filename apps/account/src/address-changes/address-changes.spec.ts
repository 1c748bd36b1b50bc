import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Transaction } from '#libs/database';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/platform';
import { waitFor } from '#test/environment';
import {
  AccountUnderTest,
  PASSWORD,
  type Registered,
} from '../../../../test/account/account-under-test.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { AddressChangeLinksService } from '../address-change-links/address-change-links.service.js';
import { PeopleService } from '../people/people.service.js';

describe('address changes', () => {
  let account: AccountUnderTest;
  let owner: Registered;
  let [old, wanted] = ['', ''];
  let count = 0;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
  });
  afterAll(() => account.stop());
  beforeEach(async () => {
    account.clock.advance(HOUR_MS);
    [old, wanted] = [`old${++count}@example.com`, `new${count}@example.com`];
    owner = await account.register(old);
  });

  const request = (email = wanted) =>
    account.dashboard('POST', 'account/email', { token: owner.token, body: { email } });
  const confirm = (token: string) =>
    account.dashboard('POST', 'account/email/confirm', { body: { token } });
  const logIn = async (email: string) =>
    (await account.dashboard('POST', 'log-in', { body: { email, password: PASSWORD } })).status;

  /** Waits until `count` transactions wait for locks. */
  const untilWaiting = (transaction: Transaction, count: number) =>
    waitFor(`${count} transactions to wait`, async () => {
      const [{ waiting }] = await transaction.query<{ waiting: number }>(
        `select count(distinct w.pid)::int as waiting from pg_locks w where not w.granted
           and exists (select from pg_locks o join pg_database d on d.oid = o.database
                       where o.pid = w.pid and d.datname = current_database())`,
      );
      return waiting === count;
    });

  it('S32: the address changes once the new address is confirmed, and the old address gets a notice', async () => {
    expect((await request()).status).toBe(202);
    expect(await logIn(old)).toBe(200);
    const token = await account.linkToken(wanted);
    expect((await confirm(token)).status).toBe(200);
    expect([await logIn(old), await logIn(wanted)]).toEqual([401, 200]);
    const [told] = await account.mailsTo(old);
    expect(told.subject).toBe('The e-mail address of your account was changed');
    expect((await confirm(token)).body.code).toBe('link_invalid');
  });

  it('S129: changes of address send at most three e-mails an hour to one mailbox, from all accounts together, and the last link works', async () => {
    const stranger = await account.register(`stranger${count}@example.com`);
    const askedByStranger = { token: stranger.token, body: { email: wanted } };
    for (let n = 0; n < 2; n++) {
      await account.dashboard('POST', 'account/email', askedByStranger);
      expect((await request()).status).toBe(202);
    }
    expect(await account.mailsTo(wanted)).toHaveLength(3);
    const token = await account.linkToken(wanted);
    expect((await confirm(token)).status).toBe(200);
  });

  it('S31: an older link does not work, and the newest link expires after 24 hours', async () => {
    await request();
    const older = await account.linkToken(wanted);
    await request();
    const newest = await account.linkToken(wanted);
    expect((await confirm(older)).status).toBe(410);
    account.clock.advance(DAY_MS);
    expect((await confirm(newest)).status).toBe(410);
    expect(await logIn(old)).toBe(200);
  });

  it('the address of another person cannot be taken, and the answer does not reveal that it is in use', async () => {
    const free = await request();
    const token = await account.linkToken(wanted);
    await account.register('other@example.com');
    const taken = await request('other@example.com');
    expect([taken.status, taken.body]).toEqual([free.status, free.body]);
    const [mail] = await account.mailsTo('other@example.com');
    expect(mail.text).not.toContain('token=');
    expect((await confirm(token)).status).toBe(410);
  });

  it('the link no longer works if someone else has registered the new address in the meantime', async () => {
    await request();
    const token = await account.linkToken(wanted);
    const { accountId } = await account.register(wanted);
    expect((await confirm(token)).body.code).toBe('link_invalid');
    const login = await account.dashboard('POST', 'log-in', {
      body: { email: wanted, password: PASSWORD },
    });
    expect(login.body.account_id).toBe(accountId);
  });

  it('if two accounts take one address at the same time, the link of the second is invalid', async () => {
    const { accountId } = await account.register(`first${count}@example.com`);
    await request();
    const token = await account.linkToken(wanted);
    const people = account.get(PeopleService);
    const { second } = await account.get(AccountsService).transaction(async (transaction) => {
      const { person, details } = await people.getOwner(transaction, accountId);
      const changed = { ...details, address: wanted };
      await people.setAddress(transaction, accountId, person.id, changed);
      const second = confirm(token);
      await untilWaiting(transaction, 1);
      return { second };
    });
    expect((await second).body.code).toBe('link_invalid');
    expect(await logIn(old)).toBe(200);
  });

  it('S32: a new password cancels a pending change of address, because a stranger may have requested it', async () => {
    await request();
    const token = await account.linkToken(wanted);
    const passwords = { current_password: PASSWORD, password: 'another sentence that is new' };
    const changed = await account.dashboard('POST', 'password/change', {
      token: owner.token,
      body: passwords,
    });
    expect(changed.status).toBe(200);
    expect((await confirm(token)).body.code).toBe('link_invalid');
  });

  it('S32: if the password is reset while a change of address is being requested, no link is sent', async () => {
    const links = account.get(AddressChangeLinksService);
    const countRequest = links.countRequest.bind(links);
    const [asked, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    links.countRequest = async (...given) => {
      asked.resolve();
      await changed.promise;
      return countRequest(...given);
    };
    const strangers = request();
    await asked.promise;
    links.countRequest = countRequest;
    await account.dashboard('POST', 'password/forgot', { body: { email: old } });
    const body = { token: await account.linkToken(old), password: 'nine yellow trumpets' };
    expect((await account.dashboard('POST', 'password/reset', { body })).status).toBe(200);
    changed.resolve();
    expect((await strangers).body.code).toBe('not_logged_in');
    expect(await account.mailsTo(wanted)).toEqual([]);
  });

  it('S32: a new address invalidates a password link sent to the old mailbox', async () => {
    await account.dashboard('POST', 'password/forgot', { body: { email: old } });
    const reset = await account.linkToken(old);
    await request();
    expect((await confirm(await account.linkToken(wanted))).status).toBe(200);
    const body = { token: reset, password: 'another sentence that is new' };
    const answer = await account.dashboard('POST', 'password/reset', { body });
    expect(answer.body.code).toBe('link_invalid');
  });

  it('when address and password are changed at the same time, one change succeeds and nothing deadlocks', async () => {
    await account.dashboard('POST', 'password/forgot', { body: { email: old } });
    const reset = { token: await account.linkToken(old), password: 'nine yellow trumpets' };
    await request();
    const token = await account.linkToken(wanted);
    const answers = await account.database.transaction(async (transaction) => {
      const sql = 'select from accounts where id = $1 for no key update';
      await transaction.query(sql, [owner.accountId]);
      const both = Promise.all([
        confirm(token),
        account.dashboard('POST', 'password/reset', { body: reset }),
      ]);
      await untilWaiting(transaction, 2);
      return { both };
    });
    const statuses = (await answers.both).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 410]);
  });

  it('S35: changing the address requires that the password was entered within the last 10 minutes', async () => {
    account.clock.advance(11 * MINUTE_MS);
    expect((await request()).body.code).toBe('reauthentication_required');
  });
});
