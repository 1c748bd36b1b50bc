import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { DAY_MS } from '#libs/platform';
import { makeOwnFolder, recordedEvents } from '#test/environment';
import { AccountUnderTest, PASSWORD } from '../../../../test/account/account-under-test.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import { EraseJob } from './erase.job.js';
import { ErasureService } from './erasure.service.js';

const TABLES = { accounts: 'id', people: 'account_id' };
const WITH_KEYS = { ...TABLES, data_keys: 'account_id' };

describe('accounts in a restored database', () => {
  const list = join(makeOwnFolder('erased-accounts'), 'erased-accounts.list');
  let account: AccountUnderTest;

  beforeAll(async () => {
    account = await AccountUnderTest.start({ erasedAccountsPath: list });
  });
  afterAll(() => account.stop());

  async function backUp(accountId: string, tables: Record<string, string>): Promise<string> {
    const statements = Object.entries(tables).map(async ([table, column]) => {
      const rows = await account.database.query<{ row: object }>(
        `select to_jsonb(t) as row from ${table} t where ${column} = $1`,
        [accountId],
      );
      const inserts = rows.map(({ row }) => {
        const json = pg.escapeLiteral(JSON.stringify(row));
        return `insert into ${table} select * from jsonb_populate_record(null::${table}, ${json})`;
      });
      return [`delete from ${table} where ${column} = '${accountId}'`, ...inserts].join('; ');
    });
    return `set session_replication_role = replica; ${(await Promise.all(statements)).join('; ')}`;
  }

  /** Returns a function that reads the personal data that the account has now. */
  async function readerOf(accountId: string) {
    const [{ details }] = await account.database.query<{ details: Buffer }>(
      'select details from people where account_id = $1',
      [accountId],
    );
    return () =>
      account
        .get(AccountsService)
        .transaction((transaction) =>
          account.get(PersonalDataService).decrypt(transaction, accountId, details),
        );
  }

  const erasuresOf = async (accountId: string) =>
    (await recordedEvents(account.database)).filter(
      ({ type, key }) => type === 'account.account-erased' && key === accountId,
    ).length;

  const runFirst = async () => new EraseJob(account.get(ErasureService)).runOnce();

  it.each(['active', 'deleted'])(
    'S119: an account that was %s at the time of the backup is erased again at the start after the restore',
    async (state) => {
      const email = `${state}@example.com`;
      const { accountId, token } = await account.register(email);
      const deleteAccount = () =>
        account.dashboard('POST', 'account/delete', { token, body: { password: PASSWORD } });
      if (state === 'deleted') await deleteAccount();
      const backup = await backUp(accountId, WITH_KEYS);
      const read = await readerOf(accountId);
      const erasures = () => erasuresOf(accountId);
      if (state === 'active') await deleteAccount();
      account.clock.advance(90 * DAY_MS);
      await runFirst();
      // Without its key, the data of a backup is unreadable.
      await expect(read()).rejects.toThrow('is destroyed');
      expect(await erasures()).toBe(1);

      account.clock.advance(-90 * DAY_MS);
      await account.asSuperuser(backup);
      expect(await read()).toMatchObject({ address: email });
      await runFirst();
      await expect(read()).rejects.toThrow('is destroyed');
      expect(await erasures()).toBe(2);
      expect(await account.dump()).not.toContain(email);
      await runFirst();
      expect(await erasures()).toBe(2);
    },
  );

  it('S119: in a backup that was restored without data keys, the data of an erased account is unreadable, and the account is erased again', async () => {
    const { accountId, token } = await account.register('without-key@example.com');
    const read = await readerOf(accountId);
    const backup = await backUp(accountId, TABLES);
    await account.dashboard('POST', 'account/delete', { token, body: { password: PASSWORD } });
    account.clock.advance(90 * DAY_MS);
    await runFirst();
    account.clock.advance(-90 * DAY_MS);
    await account.asSuperuser(backup);
    await expect(read()).rejects.toThrow('is destroyed');
    await runFirst();
    expect(await erasuresOf(accountId)).toBe(2);
  });

  it('S119: the list contains only ids, is readable only by its owner, and survives a line that was cut off', async () => {
    expect(readFileSync(list, 'utf8')).toMatch(/^(\n[0-9a-f-]{36}\n){3}$/);
    expect(statSync(list).mode & 0o777).toBe(0o600);
    appendFileSync(list, '\n0197c000-0000');
    await runFirst();
  });

  it('S118: an account that cannot be erased again does not stop due accounts from being erased', async () => {
    const { accountId, token } = await account.register('due@example.com');
    await account.dashboard('POST', 'account/delete', { token, body: { password: PASSWORD } });
    account.clock.advance(90 * DAY_MS);
    const again = jest
      .spyOn(account.get(ErasureService), 'eraseRestored')
      .mockRejectedValue(new Error('1 account not erased'));
    await expect(runFirst()).rejects.toThrow('not erased');
    again.mockRestore();
    expect(readFileSync(list, 'utf8')).toContain(accountId);
  });
});
