import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#libs/database';
import { DAY_MS, Logger } from '#libs/platform';
import {
  AccountUnderTest,
  PASSWORD,
  type Registered,
} from '../../../../test/account/account-under-test.js';
import { AccountConfig } from '../account.config.js';
import { AnchorAuditJob } from './anchor-audit.job.js';
import type { SignedAnchor } from './audit-seal.js';
import { AuditAnchorsService } from './audit-anchors.service.js';
import { INSTALLATION, NO_HASH, chainHash } from '../audit/audit-chain.js';
import { AuditMaintenanceRepository } from '../audit/audit.repository.js';
import { AuditCheckMaintenanceRepository } from './audit-check.repository.js';
import { AuditCheckService } from './audit-check.service.js';

describe('audit', () => {
  let account: AccountUnderTest;
  let auditor: Database;
  let owner: Registered;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
    auditor = await account.test.auditor('account');
    owner = await account.register('audited@example.com');
    for (let i = 0; i < 8; i++) {
      const body = {
        email: 'audited@example.com',
        password: i < 4 ? 'a wrong password' : PASSWORD,
      };
      await account.dashboard('POST', 'log-in', { body });
    }
  });
  afterAll(() => account.stop());

  const counts = async () =>
    (
      await auditor.query<{ entries: number; chains: number }>(
        'select count(*)::int as entries, count(distinct chain)::int as chains from audit',
      )
    )[0];

  /** Changes the log as the database's superuser, then undoes the change. */
  async function tampered<T>(tampering: string, look: () => Promise<T>): Promise<T> {
    const tables = ['audit', 'audit_heads', 'audit_anchors', 'audit_anchored_heads'];
    const keep = tables.map((table) => `create table kept_${table} as table ${table};`).join('');
    await account.asSuperuser(
      `${keep} alter table audit disable trigger audit_append_only; ${tampering}`,
    );
    try {
      return await look();
    } finally {
      const back = tables.map(
        (table) =>
          `delete from ${table}; insert into ${table} table kept_${table}; drop table kept_${table};`,
      );
      await account.asSuperuser(
        `${back.join('')} alter table audit enable trigger audit_append_only`,
      );
    }
  }

  it('S116: the service can neither change nor remove an entry', async () => {
    for (const role of [account.database, await account.test.maintenance('account')]) {
      await expect(role.query(`update audit set action = 'x'`)).rejects.toThrow(/denied/);
      await expect(role.query('delete from audit')).rejects.toThrow(/denied/);
      await expect(role.query('truncate audit')).rejects.toThrow(/denied/);
    }
  });

  it('S116: in every chain, the check names an entry that was changed or removed, even the first or the last', async () => {
    const audit = account.get(AuditCheckService);
    expect(await audit.verify()).toEqual({ ...(await counts()), brokenAt: null });
    const places: [chain: string, name: string][] = [
      [INSTALLATION, 'the installation'],
      [owner.accountId, `account ${owner.accountId}`],
    ];
    for (const [chain, name] of places) {
      const [{ last }] = await auditor.query<{ last: string }>(
        'select max(position) as last from audit where chain = $1',
        [chain],
      );
      const tamperings = [
        [`update audit set action = 'key.kept' where chain = '${chain}' and position = 2`, '2'],
        [`delete from audit where chain = '${chain}' and position = 3`, '3'],
        [`delete from audit where chain = '${chain}' and position = ${last}`, last],
        [`delete from audit where chain = '${chain}' and position = 1`, '1'],
      ];
      for (const [tampering, position] of tamperings) {
        const { brokenAt } = await tampered(tampering, () => audit.verify());
        expect(brokenAt).toBe(`${name}, entry ${position}`);
      }
    }
  });

  it('S116: the entries of one customer never wait for the entries of another', async () => {
    const other = await account.newOwner();
    const patch = { body: { name: 'Server', environment: 'test' } };
    await account.get(Database).transaction(async (transaction) => {
      const audit = account.get(AuditMaintenanceRepository);
      for (const chain of [owner.accountId, INSTALLATION]) await audit.lockHead(transaction, chain);
      const answer = await account.dashboard('POST', 'keys', { ...patch, token: other.token });
      expect(answer.status).toBe(201);
      expect(await account.get(AuditCheckService).verify()).toMatchObject({ brokenAt: null });
    });
  });

  it('S116: once a day, an anchor is logged and appended to a file outside the database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'anchors-'));
    const file = join(folder, 'later', 'anchors.log');
    const config = Object.assign(new AccountConfig(), { auditAnchorsPath: file });
    let log = '';
    const logger = new Logger('account', { write: (line: string) => void (log += line) });
    const { clock } = account;
    const job = new AnchorAuditJob(account.get(AuditAnchorsService), clock, logger, config);
    const taken = async () => Number((await account.get(AuditAnchorsService).take()).number);
    const before = await taken();
    for (let i = 0; i < 3; i++) await expect(job.runOnce()).rejects.toThrow(/ENOENT/);
    mkdirSync(join(folder, 'later'));
    for (let i = 0; i < 3; i++) await job.runOnce();
    appendFileSync(file, '{"msg":"audit anchor","anch');
    clock.advance(DAY_MS);
    for (let i = 0; i < 3; i++) await job.runOnce();
    expect(await taken()).toBe(before + 3);
    const anchorsIn = (text: string) =>
      text
        .trim()
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as { msg: string; anchor: SignedAnchor });
    const kept = anchorsIn(readFileSync(file, 'utf8'));
    expect(kept.map(({ msg }) => msg)).toEqual(['audit anchor', 'audit anchor']);
    expect(anchorsIn(log)).toHaveLength(2);
    expect(statSync(file).mode & 0o077).toBe(0);
    const anchors = kept.map(({ anchor }) => anchor);
    const verified = await account.get(AuditCheckService).verify(anchors);
    expect(verified).toEqual({ ...(await counts()), brokenAt: null });
    rmSync(folder, { recursive: true });
  });

  describe('an audit log that is compared with its anchors', () => {
    let anchors: SignedAnchor[];

    beforeAll(async () => {
      const taking = account.get(AuditAnchorsService);
      anchors = [await taking.take()];
      await account.dashboard('POST', 'keys', {
        token: owner.token,
        body: { name: 'Server', environment: 'test' },
      });
      anchors.push(await taking.take());
    });

    const verdicts = async () => {
      const audit = account.get(AuditCheckService);
      return [(await audit.verify()).brokenAt, (await audit.verify(anchors)).brokenAt];
    };

    it('S116: a chain that was rewritten completely is detected', async () => {
      const { forgery, chain } = await rewritten();
      const forged = `${forgery}
        update audit_anchored_heads a set hash = e.hash from audit e
        where e.chain = a.chain and e.position = a.position`;
      const [, anchored] = await tampered(forgery, verdicts);
      expect(anchored).toMatch(`account ${chain}, entry`);
      expect(await tampered(forged, verdicts)).toEqual(
        Array(2).fill(expect.stringMatching(/^anchor \d+$/)),
      );
    });

    it('S116: a chain that was removed completely is detected', async () => {
      const remove = ['audit', 'audit_heads', 'audit_anchored_heads']
        .map((table) => `delete from ${table} where chain = '${owner.accountId}';`)
        .join('');
      const [, anchored] = await tampered(remove, verdicts);
      expect(anchored).toMatch(/^anchor \d+$/);
    });

    it('S116: removing anchors together with the entries that they cover is detected', async () => {
      const { number } = anchors[1];
      const cut = `delete from audit_anchors where number >= ${number};
        delete from audit_anchored_heads where anchor >= ${number}`;
      expect(await tampered(cut, verdicts)).toEqual([null, `anchor ${number}`]);
    });

    it('S116: removed anchors are detected, also after later ones have taken their numbers', async () => {
      const { number } = anchors[1];
      const cut = `delete from audit_anchors where number >= ${number};
        delete from audit_anchored_heads where anchor >= ${number}`;
      const { brokenAt } = await tampered(cut, async () => {
        const { token } = await account.newOwner();
        const body = { name: 'Server', environment: 'test' };
        await account.dashboard('POST', 'keys', { token, body });
        const later = await account.get(AuditAnchorsService).take();
        expect(later.number).toBe(number);
        return account.get(AuditCheckService).verify([...anchors, later]);
      });
      expect(brokenAt).toBe(`anchor ${number}`);
    });

    /** Returns SQL that rewrites the owner's chain, including hashes and head. */
    async function rewritten(): Promise<{ forgery: string; chain: string }> {
      const chain = owner.accountId;
      const entries = await account
        .get(Database)
        .transaction((transaction) =>
          account
            .get(AuditCheckMaintenanceRepository)
            .listAfter(transaction, { chain, position: '0' }, 1_000),
        );
      let previousHash = NO_HASH;
      let forgery = '';
      for (const entry of entries.filter((found) => found.chain === chain)) {
        const action = entry.position === '2' ? 'key.kept' : entry.action;
        const hash = chainHash({ ...entry, action, previousHash });
        forgery += `update audit set action = '${action}',
          previous_hash = '\\x${previousHash.toString('hex')}', hash = '\\x${hash.toString('hex')}'
          where chain = '${chain}' and position = ${entry.position};`;
        previousHash = hash;
      }
      forgery += `update audit_heads set hash = '\\x${previousHash.toString('hex')}'
        where chain = '${chain}';`;
      return { forgery, chain };
    }
  });

  it('S116: a changed anchor is rejected', async () => {
    const audit = account.get(AuditCheckService);
    const anchor = await account.get(AuditAnchorsService).take();
    for (const changed of [{ number: '1' }, { hash: '0'.repeat(64) }, { takenAt: '2020' }]) {
      await expect(audit.verify([{ ...anchor, ...changed }])).rejects.toMatchObject({
        code: 'anchor_not_ours',
      });
    }
  });
});
