import { Database, type ExportedSchema, type ExportedTable, withClient } from '#libs/database';
import { HOUR_MS } from '#libs/platform';
import type { TestDatabase } from '#test/environment';
import { CancellationReasonsService } from '../../apps/billing/src/cancellation-reasons/cancellation-reasons.service.js';
import { JudgedTaxIdsService } from '../../apps/billing/src/tax-ids/judged-tax-ids.service.js';
import type { Registered } from '../account/account-under-test.js';
import type { EntitlementUnderTest } from '../entitlement/entitlement-under-test.js';
import type { OperatorDesk } from './operator-desk.js';

const TEXT = 'seeded text';

/** Strings in the rows of the seeded account that appear unchanged in its export. */
export const SEEDED = [
  TEXT,
  'seeded@example.com',
  'Ada',
  'new-address@example.com',
  'Seeded Holdings',
  '7 Export Row',
  'seeded key',
  '198.51.100.23',
  '192.0.2.1',
  'a browser',
  'seeded-idempotency',
  'Seeded Buyer Ltd',
  'GB999999973',
  'seeded reason to leave',
];

/** Values in SQL by type of column. Times get one that is not yet due; all other types get 1. */
const VALUES: Record<string, string> = {
  uuid: 'uuidv7()',
  text: `'${TEXT}'`,
  _text: `'{${TEXT}}'`,
  date: 'current_date',
  bool: 'false',
  json: `'{}'`,
  jsonb: `'{}'`,
  bytea: `sha256('seeded')`,
};

/**
 * Creates rows of the account in every table that contains account data: through actions if the data are encrypted or
 * depend on one another, and otherwise by inserting them directly.
 */
export async function seedEverywhere(
  desk: OperatorDesk,
  schemas: Record<string, ExportedSchema>,
  owner: Registered,
): Promise<void> {
  await seedAccount(desk, owner);
  await seedBilling(desk, owner);
  const { account, billing, entitlement } = desk;
  await owe(entitlement, owner);
  for (const [schema, { tables }] of Object.entries(schemas)) {
    const { test } = { billing, entitlement }[schema] ?? account;
    await seedRest(test, schema, { tables, owner, at: account.clock.now() });
  }
}

async function seedRest(
  test: TestDatabase,
  schema: string,
  { tables, owner, at }: { tables: readonly ExportedTable[]; owner: Registered; at: Date },
): Promise<void> {
  await withClient(test.url(), async (client) => {
    await client.query(`set search_path = ${schema}; set session_replication_role = replica`);
    if (schema === 'gateway') await client.query('select roll_partitions($1)', [at]);
    // No work is due within the next hour.
    const time = `'${new Date(at.getTime() + HOUR_MS).toISOString()}'`;
    for (const { table, ownedBy = 'account_id', encrypted = [], withheld = {} } of tables) {
      const isOwn = ownedBy.includes('$1') ? ownedBy : `${ownedBy} = $1`;
      const own = await client.query(`select from ${table} where ${isOwn}`, [owner.accountId]);
      if (own.rowCount !== 0) continue;
      const { rows } = await client.query<{ name: string; type: string }>(
        `select a.attname::text as name, t.typname::text as type
         from pg_attribute a join pg_type t on t.oid = a.atttypid
         where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped
           and a.attgenerated = '' and a.attidentity <> 'a'`,
        [table],
      );
      // Without its checks, the table accepts any text as a state.
      const checks = await client.query<{ drop: string }>(
        `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop
         from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
        [table],
      );
      for (const { drop } of checks.rows) await client.query(drop);
      const values = rows.map(({ name, type }) => {
        if (name === ownedBy) return '$1';
        if (encrypted.includes(name)) return '(select details from people where account_id = $1)';
        const value = type === 'timestamptz' ? time : (VALUES[type] ?? '1');
        return name in withheld
          ? value.replace(TEXT, 'withheld text').replace(time, `'infinity'`)
          : value;
      });
      const names = rows.map(({ name }) => `"${name}"`);
      await client.query(`insert into ${table} (${names.join()}) values (${values.join()})`, [
        owner.accountId,
      ]);
    }
  });
}

async function seedAccount({ account }: OperatorDesk, { token }: Registered) {
  const dashboard = async (method: 'POST' | 'PUT', path: string, body: object) => {
    const headers = { 'idempotency-key': 'seeded-idempotency' };
    const answer = await account.dashboard(method, path, { token, body, headers });
    if (answer.status >= 400) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  };
  await dashboard('PUT', 'billing-details', {
    organisation: 'Seeded Holdings',
    address_line1: '7 Export Row',
    city: 'Leith',
    country: 'GB',
  });
  await dashboard('POST', 'keys', {
    name: 'seeded key',
    environment: 'test',
    allowed_addresses: ['198.51.100.23'],
  });
  await dashboard('POST', 'account/email', { email: 'new-address@example.com' });
  await account.dashboard('POST', 'password/forgot', { body: { email: 'seeded@example.com' } });
  await dashboard('POST', 'second-factor', {});
}

async function seedBilling(desk: OperatorDesk, { accountId }: Registered) {
  const { billing } = desk;
  billing.contacts.set(accountId, {
    email: 'seeded@example.com',
    details: {
      organisation: 'Seeded Buyer Ltd',
      address_line1: '7 Export Row',
      city: 'Leith',
      country: 'GB',
    },
  });
  const plan = { product: 'subscription', sku: 'api-15K-month', processor: 'stripe' };
  const ordered = await billing.call('POST', 'orders', { accountId, body: plan });
  await billing.act(ordered.body as never, 'pay');
  await billing.deliverMail(accountId);
  const [{ id, subscriptionId }] = await billing.database.query<Record<string, string>>(
    `select p.id, s.id as "subscriptionId" from payments p join subscriptions s using (account_id)
     where account_id = $1`,
    [accountId],
  );
  await billing
    .get(Database)
    .transaction((transaction) =>
      billing
        .get(JudgedTaxIdsService)
        .keep(transaction, { accountId, subjectId: id }, 'GB999999973'),
    );
  const reason = 'seeded reason to leave';
  await billing.get(CancellationReasonsService).note({ accountId, subscriptionId, reason });
}

async function owe(entitlement: EntitlementUnderTest, { accountId }: Registered) {
  const first = await entitlement.buy(accountId, 1_000);
  await entitlement.use(accountId, 900);
  await entitlement.reverse(accountId, first, '1');
  await entitlement.buy(accountId, 2_000);
}
