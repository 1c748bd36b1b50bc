import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Dispatcher, request } from 'undici';
import { INVOICE_PDF } from '#libs/contracts';
import { Database, type ExportedSchema, type ExportedTable, withClient } from '#libs/database';
import { HOUR_MS, Logger, MINUTE_MS, loadConfig } from '#libs/platform';
import type { TestDatabase } from '#test/environment';
import { EXPORTED_TABLES as ofAccount } from '../../apps/account/src/account-export/exported-tables.js';
import { EXPORTED_TABLES as ofBilling } from '../../apps/billing/src/account-export/exported-tables.js';
import { CancellationReasonsService } from '../../apps/billing/src/cancellation-reasons/cancellation-reasons.service.js';
import { JudgedTaxIdsService } from '../../apps/billing/src/tax-ids/judged-tax-ids.service.js';
import { EXPORTED_TABLES as ofEntitlement } from '../../apps/entitlement/src/account-export/exported-tables.js';
import { DashboardConfig } from '../../apps/dashboard/src/dashboard.config.js';
import { type RunningDashboard, startDashboard } from '../../apps/dashboard/src/start.js';
import { EXPORTED_TABLES as ofGateway } from '../../apps/gateway/src/request-log/exported-tables.js';
import { EXPORTED_TABLES as ofWorker } from '../../apps/worker/src/account-export/exported-tables.js';
import { PASSWORD, type Registered } from '../account/account-under-test.js';
import { dashboardEnvironment } from '../dashboard/dashboard-under-test.js';
import type { EntitlementUnderTest } from '../entitlement/entitlement-under-test.js';
import { GatewayHarness } from '../stand-ins/gateway-harness.js';
import { WorkerUnderTest } from '../worker/worker-under-test.js';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';
import { OperatorDesk } from './operator-desk.js';

const CSRF = 'c'.repeat(43);
const SCHEMAS: Record<string, ExportedSchema> = {
  account: ofAccount,
  billing: ofBilling,
  entitlement: ofEntitlement,
  gateway: ofGateway,
  worker: ofWorker,
};
const ANYBODYS = ['Ada', '192.0.2.1', 'a browser'];
/** The minimum length of a text, because shorter texts can occur in any export by chance. */
const SECRET_LENGTH_MIN = 12;

type Exported = Record<string, Record<string, Record<string, unknown>[]>>;

const TEXT = 'seeded text';

/** Strings in the rows of the seeded account that appear unchanged in its export. */
const SEEDED = [
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
async function seedEverywhere(desk: OperatorDesk, owner: Registered): Promise<void> {
  await seedAccount(desk, owner);
  await seedBilling(desk, owner);
  const { account, billing, entitlement } = desk;
  await owe(entitlement, owner);
  for (const [schema, { tables }] of Object.entries(SCHEMAS)) {
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

describe('account export', () => {
  let desk: OperatorDesk;
  let owner: Registered;
  let gateway: Database;
  let around: GatewayHarness;
  let dashboard: RunningDashboard;
  const worker = new WorkerUnderTest();
  let databases: Record<string, Database>;
  let text: string;

  beforeAll(async () => {
    desk = await OperatorDesk.open();
    gateway = await desk.account.test.service('gateway');
    const { account, billing, entitlement } = desk;
    worker.clock.set(account.clock.now());
    await worker.start(undefined, { test: account.test });
    databases = {
      account: account.database,
      billing: billing.database,
      entitlement: entitlement.database,
      gateway,
      worker: worker.database,
    };
    around = new GatewayHarness(account.test);
    await around.start();
    const running = await around.startGateway({}, account.clock);
    const settings = {
      ...dashboardEnvironment(account.service.url),
      BILLING_INTERNAL_URL: billing.service.url,
      ENTITLEMENT_URL: entitlement.service.url,
      GATEWAY_URL: running.url,
      WORKER_URL: worker.worker.url,
    };
    dashboard = await startDashboard({
      config: loadConfig(DashboardConfig, settings),
      clock: account.clock,
      logger: new Logger('dashboard', { write: () => {} }),
    });
    owner = await account.register('seeded@example.com');
    await seedEverywhere(desk, owner);
    const answer = await download(owner.token);
    text = await answer.body.text();
    expect({ status: answer.statusCode, type: answer.headers['content-disposition'] }).toEqual({
      status: 200,
      type: 'attachment; filename="account.json"',
    });
  });
  afterAll(async () => {
    await dashboard?.stop();
    await worker.stop();
    await around?.stop();
    await desk.close();
  });

  async function download(token: string): Promise<Dispatcher.ResponseData> {
    return request(`${dashboard.dashboardUrl}/api/account/export`, {
      headers: {
        host: 'dashboard.example',
        cookie: `__Host-csrf=${CSRF}; __Host-session=${token}`,
      },
    });
  }

  const services = Object.keys(SCHEMAS);

  it.each(services)(
    'contains each table and column of %s, unless a reason for the omission is given',
    async (name) => {
      const { tables, withheld } = SCHEMAS[name];
      const declared = Object.fromEntries([
        ...tables.map((table) => [
          table.table,
          [...table.columns.map(columnOf), ...Object.keys(table.withheld ?? {})],
        ]),
        ...Object.keys(withheld).map((table) => [table, null]),
      ]) as Record<string, string[] | null>;
      const stored = await columnsOf(databases[name], name);
      expect(Object.keys(declared).toSorted()).toEqual(Object.keys(stored).toSorted());
      for (const [table, columns] of Object.entries(stored)) {
        const known = declared[table]?.filter((column) => columns.includes(column));
        if (known) expect([table, known.toSorted()]).toEqual([table, columns.toSorted()]);
      }
    },
  );

  it.each(services)('contains every row of the account in every table of %s', async (name) => {
    const exported = (JSON.parse(text) as Exported)[name];
    for (const { table, ownedBy = 'account_id', key } of SCHEMAS[name].tables) {
      const where = ownedBy.includes('$1') ? ownedBy : `${ownedBy} = $1`;
      const keys = Object.keys(key).map((column) => `${column}::text`);
      const rows = await databases[name].query<{ key: string }>(
        `select concat_ws(' ', ${keys.join(', ')}) as key from ${table} where ${where}`,
        [owner.accountId],
      );
      expect([table, rows.length > 0]).toEqual([table, true]);
      expect([table, exported[table].length]).toEqual([table, rows.length]);
    }
  });

  it.each(SEEDED)('includes %s', (seeded) => {
    expect(text).toContain(seeded);
  });

  it.each(services)(
    'S117: the export of an account contains no secret of %s: hash, token, key or ciphertext',
    async (name) => {
      const { tables } = SCHEMAS[name];
      for (const { table, withheld = {} } of tables) {
        for (const column of Object.keys(withheld)) {
          const rows = await databases[name].query<{ value: unknown }>(
            `select ${column} as value from ${table} where ${column} is not null`,
          );
          for (const { value } of rows) expectAbsent(`${table}.${column}`, value);
        }
      }
      for (const [service, table] of [
        ['account', 'data_keys'],
        ['billing', 'invoice_data_keys'],
      ]) {
        const rows = await databases[service].query<{ value: Buffer }>(
          `select wrapped_key as value from ${table}`,
        );
        expect(rows).not.toHaveLength(0);
        for (const { value } of rows) expectAbsent(table, value);
      }
      const secrets = [
        PASSWORD,
        owner.token,
        owner.key,
        owner.testKey,
        HARNESS_SECRET,
        'sk_test_simulator',
      ];
      for (const secret of secrets) expectAbsent('secret', secret);
    },
  );

  it('is audited, and requires a password entered within the last ten minutes', async () => {
    const exports = async () =>
      (await desk.audited(owner.accountId)).filter((line) => line.includes('account.exported'));
    const before = await exports();
    expect(before).toHaveLength(1);
    desk.advance(11 * MINUTE_MS);
    worker.clock.advance(11 * MINUTE_MS);
    const refused = await download(owner.token);
    expect(refused.statusCode).toBe(403);
    expect(await refused.body.json()).toMatchObject({ code: 'reauthentication_required' });
    expect(await exports()).toEqual(before);
    const stranger = await download('s'.repeat(43));
    expect(stranger.statusCode).toBe(401);
    await stranger.body.dump();
  });

  it('contains the URL of each invoice’s PDF', () => {
    const { invoices } = (JSON.parse(text) as Exported).billing;
    expect(invoices).not.toHaveLength(0);
    for (const { id, pdf_path: path } of invoices) {
      expect(`GET ${String(path)}`).toBe(
        `GET ${INVOICE_PDF.routes[0].path.replace('{id}', String(id))}`,
      );
    }
  });

  it('contains no data of another account', async () => {
    const other = await desk.account.register('other@example.com');
    const answer = await download(other.token);
    const others = await answer.body.text();
    expect(answer.statusCode).toBe(200);
    expect(others).toContain('other@example.com');
    expect(others).not.toContain(owner.accountId);
    for (const seeded of SEEDED.filter((one) => !ANYBODYS.includes(one))) {
      expect(others).not.toContain(seeded);
    }
  });

  it('is answered 429 after five exports within an hour', async () => {
    const busy = await desk.account.register('busy@example.com');
    const statuses: number[] = [];
    for (let count = 0; count < 6; count++) {
      const { statusCode, body } = await download(busy.token);
      await body.dump({ limit: 10_000_000 });
      statuses.push(statusCode);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  function expectAbsent(what: string, value: unknown): void {
    const forms = Buffer.isBuffer(value)
      ? [value.toString('hex'), value.toString('base64'), value.toString('base64url')]
      : [typeof value === 'string' ? value : JSON.stringify(value)];
    for (const form of forms.filter((one) => one.length >= SECRET_LENGTH_MIN)) {
      expect([what, text.includes(form)]).toEqual([what, false]);
    }
  }
});

const columnOf = (column: string) => / as (\w+)$/.exec(column)?.[1] ?? column;

async function columnsOf(database: Database, schema: string): Promise<Record<string, string[]>> {
  const rows = await database.query<{ name: string; columns: string[] }>(
    `select c.relname::text as name, array_agg(a.attname::text) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where n.nspname = $1 and c.relkind in ('r', 'p') and not c.relispartition
     group by c.relname`,
    [schema],
  );
  return Object.fromEntries(rows.map(({ name, columns }) => [name, columns]));
}
