import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#libs/database';
import { DAY_MS, Logger } from '#libs/platform';
import { AccountUnderTest, PASSWORD } from '../../../../test/account/account-under-test.js';
import { AccountConfig } from '../account.config.js';
import { AnchorAuditJob } from './anchor-audit.job.js';
import type { AuditAnchor } from './audit-anchor.js';
import { chainHash } from './audit-chain.js';
import { AuditMaintenanceRepository } from './audit.repository.js';
import { AuditCheckService } from './audit-check.service.js';

describe('audit', () => {
  let account: AccountUnderTest;
  let auditor: Database;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
    auditor = await account.test.auditor('account');
    await account.register('audited@example.com');
    for (let i = 0; i < 8; i++) {
      const body = {
        email: 'audited@example.com',
        password: i < 4 ? 'a wrong password' : PASSWORD,
      };
      await account.dashboard('POST', 'log-in', { body });
    }
  });
  afterAll(() => account.stop());

  const lastPosition = async () =>
    (await auditor.query<{ position: string }>('select position from audit_head'))[0].position;

  it('S116: the service can neither change nor remove an entry', async () => {
    for (const role of [account.database, await account.test.maintenance('account')]) {
      await expect(role.query(`update audit set action = 'x'`)).rejects.toThrow(/denied/);
      await expect(role.query('delete from audit')).rejects.toThrow(/denied/);
      await expect(role.query('truncate audit')).rejects.toThrow(/denied/);
    }
  });

  it('S116: a changed, a removed and a cut-off entry are each named', async () => {
    const audit = account.get(AuditCheckService);
    expect(await audit.verify()).toEqual({ entries: await lastPosition(), brokenAt: null });
    await expectBroken(`update audit set action = 'key.kept' where position = 4`, '4');
    await expectBroken('delete from audit where position = 7', '7');
    const last = await lastPosition();
    await expectBroken(`delete from audit where position = ${last}`, last);

    /** Tampers as the database's superuser, then puts everything back. */
    async function expectBroken(tampering: string, position: string): Promise<void> {
      await account.asSuperuser(
        `create table kept as table audit; alter table audit disable trigger audit_append_only; ${tampering}`,
      );
      expect((await audit.verify()).brokenAt).toBe(position);
      await account.asSuperuser(
        `delete from audit; insert into audit table kept; drop table kept;
         alter table audit enable trigger audit_append_only`,
      );
    }
  });

  it('S116: once a day an anchor is appended to a file outside the database, and logged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'anchors-'));
    const file = join(folder, 'later', 'anchors.log');
    const config = Object.assign(new AccountConfig(), { auditAnchorsPath: file });
    let log = '';
    const logger = new Logger('account', { write: (line: string) => void (log += line) });
    const { clock } = account;
    const job = new AnchorAuditJob(account.get(AuditCheckService), clock, logger, config);
    await expect(job.runOnce()).rejects.toThrow(/ENOENT/);
    mkdirSync(join(folder, 'later'));
    for (let i = 0; i < 3; i++) await job.runOnce();
    clock.advance(DAY_MS);
    for (let i = 0; i < 3; i++) await job.runOnce();
    const anchorsIn = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { msg: string; anchor: AuditAnchor });
    const kept = anchorsIn(readFileSync(file, 'utf8'));
    expect(kept.map(({ msg }) => msg)).toEqual(['audit anchor', 'audit anchor']);
    expect(anchorsIn(log)).toHaveLength(2);
    expect(statSync(file).mode & 0o077).toBe(0);
    const anchors = kept.map(({ anchor }) => anchor);
    const verified = await account.get(AuditCheckService).verify(anchors);
    expect(verified).toEqual({ entries: anchors[1].position, brokenAt: null });
    rmSync(folder, { recursive: true });
  });

  it('S116: a chain that was rewritten as a whole is found by a signed anchor of it', async () => {
    const audit = account.get(AuditCheckService);
    const anchor = await audit.anchor();
    const whole = { entries: anchor.position, brokenAt: null };
    expect(await audit.verify([anchor])).toEqual(whole);
    await account.asSuperuser(
      'create table kept as table audit; alter table audit disable trigger audit_append_only',
    );
    const entries = await account
      .get(Database)
      .transaction((transaction) =>
        account.get(AuditMaintenanceRepository).listAfter(transaction, '0', 1_000),
      );
    let previousHash = Buffer.alloc(32) as Buffer;
    let forgery = '';
    for (const entry of entries) {
      const action = entry.position === '2' ? 'key.kept' : entry.action;
      const hash = chainHash({ ...entry, action, previousHash });
      forgery += `update audit set action = '${action}', previous_hash = '\\x${previousHash.toString('hex')}',
        hash = '\\x${hash.toString('hex')}' where position = ${entry.position};`;
      previousHash = hash;
    }
    await account.asSuperuser(
      `${forgery} update audit_head set hash = '\\x${previousHash.toString('hex')}'`,
    );
    expect(await audit.verify()).toEqual(whole);
    expect((await audit.verify([anchor])).brokenAt).toBe(anchor.position);
  });

  it('S116: an anchor that was changed is refused', async () => {
    const audit = account.get(AuditCheckService);
    const anchor = await audit.anchor();
    for (const changed of [{ position: '1' }, { hash: '0'.repeat(64) }, { takenAt: '2020' }]) {
      await expect(audit.verify([{ ...anchor, ...changed }])).rejects.toMatchObject({
        code: 'anchor_not_ours',
      });
    }
  });
});
