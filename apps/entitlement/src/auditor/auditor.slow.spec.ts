import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditJob, type Database, checkInvariants, withClient } from '#libs/database';
import { DAY_MS, HOUR_MS, MINUTE_MS, newId } from '#libs/platform';
import { rowsRead, scrape } from '#test/environment';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { CheckpointJob } from '../checkpoints/checkpoint.job.js';
import { ENTITLEMENT_INVARIANTS } from './invariants.js';

const { invariants: INVARIANTS } = ENTITLEMENT_INVARIANTS;

const CORRUPTIONS: Record<string, string[]> = {
  I1: ['update ledger_entries set amount = amount + 1 where position = 0'],
  I2: [
    'alter table credit_grants drop constraint buckets_add_up',
    'update credit_grants set consumed = consumed + 1',
  ],
  I3: ['update credit_accounts set available = available + 1'],
  I4: [`delete from credit_grants where source_type = 'subscription'`],
  I5: ['delete from trial_claims'],
  I6: [`update leases set slices = jsonb_set(slices, '{0,consumed}', '1')`],
  I7: [
    `update leases set expires_at = clock_timestamp() - interval '181 seconds'`,
    `update reaper_waits set since = '-infinity'`,
  ],
  I15: ['update credit_accounts set allowance_version = 0'],
  I17: ['update payment_lines set credits = credits + 1 where credits is not null'],
  I19: [`update reversed_lines set refunded_micros = refunded_micros + 1`],
  I22: [
    'alter table credit_grants drop constraint debt_follows_reversal',
    `update credit_grants set owed = 1 where source_type = 'package'`,
  ],
  I23: [`update used_credits set credits = credits + 1`],
};

describe('auditor', () => {
  let entitlement: EntitlementUnderTest;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
    const accountId = await entitlement.newAccount();
    const month = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2026-04-02T09:00:00Z' };
    await entitlement.subscribe(accountId, { subscriptionId: newId(), ...month });
    const lineId = await entitlement.buy(accountId, 5_000);
    await entitlement.reverse(accountId, lineId, '0.1');
    await entitlement.use(accountId, 3);
    await entitlement.client.acquire({
      accountId,
      leaseId: newId(),
      gatewayId: 'gateway-1',
      min: 10,
      wanted: 0,
    });
  });
  afterAll(() => entitlement.stop());

  async function violatedAfter(statements: string[], windowMs?: number): Promise<string[]> {
    return withClient(entitlement.test.url(), async (client) => {
      await client.query('set search_path = entitlement');
      await client.query('begin');
      // Triggers and foreign keys are off, so only the auditor can notice a violation.
      await client.query(`set local session_replication_role = 'replica'`);
      for (const statement of statements) await client.query(statement);
      const query = async (sql: string, parameters?: unknown[]) =>
        (await client.query(sql, parameters)).rows;
      const violated = await checkInvariants(
        { query } as Pick<Database, 'query'>,
        ENTITLEMENT_INVARIANTS,
        { windowMs },
      );
      await client.query('rollback');
      return violated.map(({ id }) => id);
    });
  }

  it('the auditor finds no violation in accounts that only the service has changed', async () => {
    expect(await entitlement.violations()).toEqual([]);
    expect(await violatedAfter([])).toEqual([]);
  });

  it.each(INVARIANTS.map(({ id, statement }) => [id, statement]))(
    '%s is detected if it is violated: %s',
    async (id) => {
      expect(await violatedAfter(CORRUPTIONS[id])).toContain(id);
    },
  );

  it.each(INVARIANTS.map(({ id }) => [id]))(
    '%s is detected in a window that includes the change',
    async (id) => {
      expect(await violatedAfter(CORRUPTIONS[id], HOUR_MS)).toContain(id);
    },
  );

  it('a window examines recent changes, and a full pass examines all rows', async () => {
    const longAgo = [
      ...CORRUPTIONS.I1,
      ...CORRUPTIONS.I2,
      ...CORRUPTIONS.I5,
      `update ledger_transfers set recorded_at = recorded_at - interval '2 hours'`,
    ];
    expect(await violatedAfter(longAgo, HOUR_MS)).toEqual([]);
    expect(await violatedAfter(longAgo)).toEqual(expect.arrayContaining(['I1', 'I2', 'I5']));
  });

  it('metrics report each invariant and the open leases', async () => {
    await entitlement.service.app.get(AuditJob).runOnce();
    const scraped = await scrape(entitlement.service.url);
    for (const { id } of INVARIANTS) {
      expect(scraped.get(`dds_invariant_violations{service="entitlement",invariant="${id}"}`)).toBe(
        0,
      );
    }
    expect(scraped.get('dds_entitlement_open_reservations{kind="lease"}')).toBe(1);
    expect(scraped.get('dds_entitlement_reserved_credits{kind="lease"}')).toBe(10);
    expect(scraped.get('dds_entitlement_open_reservations{kind="hold"}')).toBe(0);
    for (const name of ['unbilled_credits', 'debt_credits', 'set_aside{kind="lease"}'])
      expect(scraped.get(`dds_entitlement_${name}`)).toBe(0);
    expect(scraped.get('dds_database_waiting{pool="auditor"}')).toBe(0);
    expect(scraped.get('dds_outbox_unsent_events{producer="entitlement"}')).toBeDefined();
  });

  it('a violation is logged as an error that names the invariant and its rows', async () => {
    await withClient(entitlement.test.url(), async (client) => {
      await client.query('update entitlement.credit_accounts set available = available + 1');
      await entitlement.service.app.get(AuditJob).runOnce();
      const broken = 'dds_invariant_violations{service="entitlement",invariant="I3"}';
      expect((await scrape(entitlement.service.url)).get(broken)).toBe(1);
      await client.query('update entitlement.credit_accounts set available = available - 1');
    });
    const [line] = entitlement.logLines.splice(0);
    expect(JSON.parse(line)).toMatchObject({ msg: 'invariant I3 does not hold', count: 1 });
  });

  it('I23: the auditor finds usage booked on the wrong day, before and after a checkpoint', async () => {
    const accountId = await entitlement.newAccount();
    await entitlement.use(accountId, 1);
    for (const credits of [5, 7, 9]) {
      entitlement.clock.advance(DAY_MS);
      await entitlement.use(accountId, credits);
    }
    const ofDay = (
      nth: number,
    ) => `account_id = '${accountId}' and day = (select day from used_credits
      where account_id = '${accountId}' order by day offset ${nth} limit 1)`;
    const shift = [
      `update used_credits set credits = credits - 1 where ${ofDay(2)}`,
      `update used_credits set credits = credits + 1 where ${ofDay(1)}`,
    ];
    expect(await violatedAfter(shift)).toEqual(['I23']);
    await entitlement.service.app.get(CheckpointJob).runOnce();
    expect(await violatedAfter([])).toEqual([]);
    expect(await violatedAfter([], HOUR_MS)).toEqual([]);
    expect(await violatedAfter(shift)).toEqual(['I23']);
    const closed = [`update used_credits set credits = credits + 1 where ${ofDay(0)}`];
    expect(await violatedAfter(closed)).toEqual(['I23']);
    const open = [`update used_credits set credits = credits + 1 where ${ofDay(3)}`];
    expect(await violatedAfter(open, HOUR_MS)).toEqual(['I23']);
  });

  it('I23: a clock that is set back across midnight causes no violation', async () => {
    const accountId = await entitlement.newAccount();
    const midnight = Math.ceil(entitlement.clock.now().getTime() / DAY_MS) * DAY_MS;
    for (const minutes of [-10, 5, -3, 24 * 60]) {
      entitlement.clock.set(new Date(midnight + minutes * MINUTE_MS));
      await entitlement.use(accountId, 4);
    }
    expect(await violatedAfter([])).toEqual([]);
  });

  it('a window reads the holds that were closed in it, not all holds of its accounts', async () => {
    const accountId = await entitlement.newAccount();
    const name = { accountId, holdId: 'one-of-many' };
    await entitlement.client.hold({ ...name, amount: 1 });
    await entitlement.client.closeHold(accountId, name.holdId);
    const read = await withClient(entitlement.test.url(), async (client) => {
      await client.query('set search_path = entitlement; begin');
      await client.query(
        `insert into holds select (jsonb_populate_record(h, jsonb_build_object('hold_id', 'many ' || n,
           'reservation_id', gen_random_uuid(), 'closed_at', clock_timestamp() - interval '10 days'))).*
         from holds h cross join generate_series(1, 10000) n where hold_id = 'one-of-many'`,
      );
      await client.query('analyze holds');
      const query = async (sql: string, parameters?: unknown[]) =>
        (await client.query(sql, parameters)).rows;
      const window = { windowMs: HOUR_MS };
      const database = { query } as Pick<Database, 'query'>;
      const read = await rowsRead(database, ['entitlement.holds'], () =>
        checkInvariants(database, ENTITLEMENT_INVARIANTS, window),
      );
      await client.query('rollback');
      return read;
    });
    expect(read).toBeLessThan(1_000);
  });

  it('the service can neither change nor unbalance its ledger', async () => {
    const accountId = newId();
    await entitlement.buy(accountId, 5_000);
    for (const statement of [
      'update ledger_entries set amount = 1',
      'delete from ledger_transfers',
    ]) {
      await expect(entitlement.database.query(statement)).rejects.toThrow('permission denied');
    }
    const [{ id }] = await entitlement.database.query<{ id: string }>(
      'select id from credit_grants where account_id = $1',
      [accountId],
    );
    const unbalanced = entitlement.database.query(
      `with t as (insert into ledger_transfers (id, account_id, kind, reference, available_after,
         occurred_at) values ($3, $1, 'grant', 'x', 0, now()) returning id)
       insert into ledger_entries select id, 0, $1, 'available', $2, 5 from t`,
      [accountId, id, newId()],
    );
    await expect(unbalanced).rejects.toThrow('does not sum to zero');
  });
});
