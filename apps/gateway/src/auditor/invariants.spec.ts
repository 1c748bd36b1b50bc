import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditJob, type Database, RollPartitionsJob, checkInvariants } from '#libs/database';
import { HOUR_MS, Logger, newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { GATEWAY_INVARIANTS } from './invariants.js';

const { invariants: INVARIANTS } = GATEWAY_INVARIANTS;

const CORRUPTIONS: Record<string, string> = {
  I16: 'update request_log set credits = 1 where status = 429',
};

describe('auditor', () => {
  let test: TestDatabase;
  let auditor: Database;
  let owner: Database;

  beforeAll(async () => {
    test = await TestDatabase.create();
    [auditor, owner] = [await test.auditor('gateway'), await test.maintenance('gateway')];
    await new RollPartitionsJob(owner).runOnce();
    const service = await test.service('gateway');
    for (const [status, credits] of [
      [200, 1],
      [429, 0],
    ]) {
      await service.query(
        `insert into request_log (at, request_id, account_id, key_id, operation, version, subject, status,
           outcome, credits, duration_ms)
         values (clock_timestamp(), $1::uuid::text, $1::uuid, $1::uuid, 'whois.live', 2, 'example.com', $2, 'one', $3, 1)`,
        [newId(), status, credits],
      );
    }
  });
  afterAll(() => test.drop());

  async function violated(windowMs?: number): Promise<string[]> {
    const found = await checkInvariants(auditor, GATEWAY_INVARIANTS, { windowMs });
    return found.map(({ id }) => id);
  }

  it('a role that can only read finds no violation after correct requests', async () => {
    const audit = new AuditJob(
      auditor,
      GATEWAY_INVARIANTS,
      new Logger('test', { write: () => {} }),
    );
    await audit.runOnce();
    expect([...audit.violations]).toEqual([]);
    await expect(auditor.query(CORRUPTIONS.I16)).rejects.toThrow('permission denied');
  });

  it.each(INVARIANTS.map(({ id }) => id))('%s is found when it is violated', async (id) => {
    expect(await violated()).toEqual([]);
    await owner.query(CORRUPTIONS[id]);
    expect(await violated()).toEqual([id]);
    expect(await violated(HOUR_MS)).toEqual([id]);
  });
});
