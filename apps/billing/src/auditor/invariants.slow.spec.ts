import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditJob, type Database, checkInvariants, withClient } from '#libs/database';
import { HOUR_MS } from '#libs/platform';
import { rowsRead } from '#test/environment';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BILLING_INVARIANTS } from './invariants.js';

const { invariants: INVARIANTS } = BILLING_INVARIANTS;

const CORRUPTIONS: Record<string, string[][]> = {
  I8: [
    [`delete from invoices where series like 'INV-%' and number = 1`],
    [
      `delete from invoices where series like 'INV-%' and number = (select max(number) from invoices)`,
    ],
    [`update number_series set last = last + 1 where series like 'INV-%'`],
  ],
  I9: [
    [`delete from invoices where kind = 'credit_note'`],
    [`update invoices set total_micros = total_micros + 10000 where number = 2`],
    [`update reversals set amount_micros = amount_micros - 10000`],
    [`update payments set amount_micros = amount_micros + 10000`],
  ],
  I10: [
    [
      'drop index subscriptions_current',
      `insert into subscriptions select (jsonb_populate_record(s, jsonb_build_object(
         'id', gen_random_uuid(), 'external_id', 'another'))).* from subscriptions s`,
    ],
  ],
  I11: [
    [
      `insert into account_states (account_id, state, changed_at)
       select account_id, 'deleted', period_start - interval '2 hours' from subscriptions`,
    ],
  ],
  I14: [openFinding('processor')],
  I17: [
    [`update payment_lines set amount_micros = amount_micros + 10000`],
    [`update payment_lines set credits = credits + 1 where kind = 'package'`],
    [`delete from payment_lines`],
  ],
  I18: [[`update order_lines set amount_micros = amount_micros - 10000 where sku like '%-year'`]],
  I21: [openFinding('fulfilment')],
};

/** Returns statements that store a difference that the comparison found but could not fix. */
function openFinding(kind: string): string[] {
  return [
    `insert into reconciliation_runs (id, started_at, ended_at, lines, payments, subscriptions)
     values (gen_random_uuid(), now(), now(), 1, 1, 1)`,
    `insert into reconciliation_findings (id, run_id, kind, account_id, subject, detail, is_healed)
     select gen_random_uuid(), id, '${kind}', gen_random_uuid(), 'line', 'not known', false
     from reconciliation_runs`,
  ];
}

describe('auditor', () => {
  let billing: BillingUnderTest;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    const accountId = billing.newAccount();
    for (const credits of [5_000, 15_000, 50_000]) {
      await billing.act(await billing.order(accountId, credits), 'pay');
    }
    const [{ id }] = billing.simulator.world.all('payment_intent');
    const body = { product: 'subscription', sku: 'api-15K-year', processor: 'stripe' };
    const yearly = await billing.call('POST', 'orders', { accountId, body });
    await billing.act(yearly.body, 'pay');
    billing.simulator.payments.refund({ payment_intent: id });
    await billing.settle();
  });
  afterAll(() => billing.stop());

  async function violatedAfter(statements: string[], windowMs?: number): Promise<string[]> {
    return withClient(billing.test.url(), async (client) => {
      await client.query('set search_path = billing');
      await client.query('begin');
      // Triggers and foreign keys are off, so only the auditor can notice the damage.
      await client.query(`set local session_replication_role = 'replica'`);
      await client.query(`update payments set confirmed_at = clock_timestamp()`);
      for (const statement of statements) await client.query(statement);
      const query = async (sql: string, parameters?: unknown[]) =>
        (await client.query(sql, parameters)).rows;
      const violated = await checkInvariants(
        { query } as Pick<Database, 'query'>,
        BILLING_INVARIANTS,
        { windowMs },
      );
      await client.query('rollback');
      return violated.map(({ id }) => id);
    });
  }

  it('the audit finds no violation in payments written by the service', async () => {
    expect(await violatedAfter([])).toEqual([]);
    expect(await violatedAfter([], HOUR_MS)).toEqual([]);
  });

  const cases = INVARIANTS.flatMap(({ id }) =>
    CORRUPTIONS[id].map((statements): [string, string[]] => [id, statements]),
  );
  it.each(cases)(
    'a violation of %s is found after %j, by the full check and by the check of a time window',
    async (id, statements) => {
      expect(await violatedAfter(statements)).toContain(id);
      expect(await violatedAfter(statements, HOUR_MS)).toContain(id);
    },
  );

  it('a range of a pass over all payments reads only the payments of the range', async () => {
    const read = await withClient(billing.test.url(), async (client) => {
      await client.query(
        `set search_path = billing; begin; set local session_replication_role = 'replica'`,
      );
      await client.query(
        `insert into payments select (jsonb_populate_record(p, jsonb_build_object(
           'id', gen_random_uuid(), 'external_id', 'another ' || n, 'bill_id', null))).*
         from payments p cross join generate_series(1, 20000) n
         where p.id = (select id from payments order by id limit 1)`,
      );
      await client.query('analyze payments');
      const query = async (sql: string, parameters?: unknown[]) =>
        (await client.query(sql, parameters)).rows;
      const range = {
        from: 'f0000000-0000-0000-0000-000000000000',
        to: 'f0100000-0000-0000-0000-000000000000',
      };
      const database = { query } as Pick<Database, 'query'>;
      const read = await rowsRead(database, ['billing.payments'], () =>
        checkInvariants(database, BILLING_INVARIANTS, range),
      );
      await client.query('rollback');
      return read;
    });
    expect(read).toBeLessThan(2_000);
  });

  it('the service runs its audit with a role that cannot write', async () => {
    const audit = billing.get(AuditJob);
    await audit.runOnce();
    expect([...audit.violations]).toEqual([]);
    const auditor = await billing.test.auditor('billing');
    await expect(auditor.query('update payments set amount_micros = 0')).rejects.toThrow(
      'permission denied',
    );
  });

  it('neither the service role nor the maintenance role can change an invoice or a printed revision', async () => {
    const maintenance = await billing.test.maintenance('billing');
    for (const database of [billing.database, maintenance]) {
      for (const table of ['invoices', 'invoice_revisions']) {
        for (const statement of [`update ${table} set account_id = null`, `delete from ${table}`]) {
          await expect(database.query(statement)).rejects.toThrow('permission denied');
        }
      }
    }
  });
});
