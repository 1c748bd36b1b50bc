import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Migration,
  type SchemaService,
  MigrationMismatch,
  maintenanceRole,
  migrate,
  ownerRole,
  provisionRoles,
  provisionSchemas,
  rolesOf,
  withClient,
} from '#libs/database';
import { TEST_PASSWORD, TestDatabase } from '#test/environment';

const READ = ['select'];
const WRITE = ['select', 'insert', 'update', 'delete'];
const EVERYTHING = [...WRITE, 'truncate', 'references', 'trigger'];

const PRIVILEGES = `
  select n.nspname as schema, t.relname as name, r.rolname as role,
         array(select p from unnest($3::text[]) p where has_table_privilege(r.oid, t.oid, p)) as granted
  from pg_class t join pg_namespace n on n.oid = t.relnamespace cross join pg_roles r
  where t.relkind in ('r', 'p', 'v', 'm') and n.nspname = any($1) and r.rolname = any($2)`;

interface Privileges {
  schema: string;
  name: string;
  role: string;
  granted: string[];
}

function allowed({ schema, name, role }: Privileges): string[] {
  const [service, part] = role.split('_');
  if (service !== schema) return [];
  if (part === 'owner') return EVERYTHING;
  return part === 'auditor' || name === 'migrations' ? READ : WRITE;
}

describe('provisioned database', () => {
  let test: TestDatabase;
  let schemas: SchemaService[];
  let roles: string[];

  beforeAll(async () => {
    test = await TestDatabase.create();
    schemas = await test.schemas();
    roles = schemas.flatMap(rolesOf);
  });
  afterAll(() => test.drop());

  const asAdmin = <T extends object>(sql: string, parameters: unknown[] = []) =>
    withClient(test.url(), async (client) => (await client.query<T>(sql, parameters)).rows);

  it('S114: each role has only the table rights that its tasks need', async () => {
    const rows = await asAdmin<Privileges>(PRIVILEGES, [schemas, roles, EVERYTHING]);
    const tables = new Set(rows.map(({ schema, name }) => `${schema}.${name}`));
    expect(tables.size).toBeGreaterThan(schemas.length);
    expect(rows).toHaveLength(tables.size * roles.length);
    const excess = rows.filter((row) => row.granted.some((p) => !allowed(row).includes(p)));
    expect(excess).toEqual([]);
  });

  it('S114: only an owner can create objects, only in its own schema, and no role can create roles or databases or is a member of another role', async () => {
    const found = await asAdmin<Record<string, unknown>>(
      `select rolname as role, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as raised,
              exists (select from pg_auth_members where member = r.oid) as is_member,
              array(select nspname::text from pg_namespace
                    where has_schema_privilege(r.oid, oid, 'create') and nspname !~ '^pg_') as creates_in
       from pg_roles r where rolname = any($1) order by rolname`,
      [roles],
    );
    expect(found).toEqual(
      roles.toSorted().map((role) => ({
        role,
        raised: false,
        is_member: false,
        creates_in: role.endsWith('_owner') ? [role.split('_')[0]] : [],
      })),
    );
  });

  it('S114: every object belongs to the owner of its schema, and no role can create schemas or temporary tables', async () => {
    // A clone does not inherit the rights to its template.
    await provisionSchemas(
      test.url(),
      schemas.map((name) => ({ name })),
    );
    const objects = await asAdmin<{ schema: SchemaService; name: string; owner: string }>(
      `select nspname as schema, name, pg_get_userbyid(owner) as owner
       from pg_namespace n join (
         select relnamespace, relname as name, relowner as owner from pg_class
         union all select pronamespace, proname, proowner from pg_proc
         union all select typnamespace, typname, typowner from pg_type
       ) objects on relnamespace = n.oid where nspname = any($1)`,
      [schemas],
    );
    expect(new Set(objects.map(({ schema }) => schema)).size).toBe(schemas.length);
    expect(objects.filter(({ schema, owner }) => owner !== ownerRole(schema))).toEqual([]);
    const raised = await asAdmin(
      `select rolname, privilege from pg_roles, unnest(array['create', 'temporary']) privilege
       where rolname = any($1) and has_database_privilege(oid, current_database(), privilege)`,
      [roles],
    );
    expect(raised).toEqual([]);
    const columns = await asAdmin(
      `select c.relname, attname from pg_attribute a join pg_class c on c.oid = a.attrelid
       where attacl is not null and relnamespace = any(select oid from pg_namespace where nspname = any($1))`,
      [schemas],
    );
    expect(columns).toEqual([]);
  });

  it('S114: only the maintenance role runs functions with an owner’s rights, and they only roll partitions', async () => {
    const found = await asAdmin<{ schema: SchemaService }>(
      `select nspname as schema, proname as name, proconfig && array[format('search_path=%I, pg_temp', nspname)] as is_pinned,
              array(select r from unnest($2::text[]) r where has_function_privilege(r, p.oid, 'execute') order by r) as roles
       from pg_proc p join pg_namespace n on n.oid = pronamespace
       where prosecdef and nspname = any($1) order by nspname, proname`,
      [schemas, roles],
    );
    const functions = ['detach_old_partition', 'drop_detached_partitions', 'roll_partitions'];
    const withPartitions = [...new Set(found.map(({ schema }) => schema))];
    expect(withPartitions.length).toBeGreaterThan(0);
    expect(found).toEqual(
      withPartitions.flatMap((schema) =>
        functions.map((name) => ({
          schema,
          name,
          is_pinned: true,
          roles: [maintenanceRole(schema), ownerRole(schema)],
        })),
      ),
    );
  });

  it('provisioning can be repeated without an error, even while another run is in progress', async () => {
    const repeat = async () => {
      await provisionRoles(test.url(), schemas, () => TEST_PASSWORD);
      await provisionSchemas(
        test.url(),
        schemas.map((name) => ({ name })),
      );
    };
    await Promise.all([repeat(), repeat(), repeat()]);
    const account = await test.service('account');
    expect(await account.query('select current_schema() as schema')).toEqual([
      { schema: 'account' },
    ]);
  });

  it('the statements of each service run without just-in-time compilation and without parallel workers', async () => {
    const sql = `select name, setting, source from pg_settings
      where name in ('jit', 'max_parallel_workers_per_gather') order by name`;
    // A clone does not inherit the settings of its template's roles.
    await provisionSchemas(
      test.url(),
      schemas.map((name) => ({ name })),
    );
    for (const schema of schemas) {
      const { rows } = await withClient(test.url(schema), async (client) => client.query(sql));
      expect([schema, rows]).toEqual([
        schema,
        [
          { name: 'jit', setting: 'off', source: 'database user' },
          {
            name: 'max_parallel_workers_per_gather',
            setting: '0',
            source: 'database user',
          },
        ],
      ]);
    }
  });

  it('the sessions of a lost machine end after a minute and a half, those of migrations too', async () => {
    await provisionSchemas(test.url(), [{ name: 'account' }]);
    const rows = await asAdmin<{ role: string; settings: string[] }>(
      `select setrole::regrole::text as role, array(
         select one from unnest(setconfig) one where one like 'tcp_keepalives%' order by one) as settings
       from pg_db_role_setting join pg_database d on d.oid = setdatabase
       where datname = current_database() and setrole = any($1::regrole[]) order by role`,
      [rolesOf('account')],
    );
    const settings = ['count=3', 'idle=60', 'interval=10'].map((one) => `tcp_keepalives_${one}`);
    expect(rows).toEqual(
      rolesOf('account')
        .toSorted()
        .map((role) => ({ role, settings })),
    );
  });
});

describe('migrations', () => {
  let test: TestDatabase;
  let url: string;
  const first: Migration = { name: '0001-first', sql: 'create table one (a int)' };
  const second: Migration = { name: '0002-second', sql: 'create table two (a int)' };

  beforeAll(async () => {
    test = await TestDatabase.create();
    await withClient(test.url(), (client) =>
      client.query(
        'drop schema gateway cascade; create schema gateway authorization gateway_owner',
      ),
    );
    url = test.url(ownerRole('gateway'));
  });
  afterAll(() => test.drop());

  it('two simultaneous migrations apply each step once', async () => {
    const applied = await Promise.all([
      migrate(url, [first, second]),
      migrate(url, [first, second]),
    ]);
    expect(applied.flat().toSorted()).toEqual([first.name, second.name]);
    expect(await migrate(url, [first, second])).toEqual([]);
  });

  it.each(['no_such', 'public'])(
    'a database without the schema, whose roles have the schema %s, is refused with the command to run',
    async (schema) => {
      const elsewhere = new URL(url);
      elsewhere.searchParams.set('options', `-csearch_path=${schema}`);
      await expect(migrate(elsewhere.toString(), [first])).rejects.toThrow(
        'does not have the schema of the role gateway_owner: provision it first',
      );
    },
  );

  it('a failing step leaves nothing behind, and the next run starts with that step', async () => {
    const broken: Migration = { name: '0003-third', sql: 'create table three (a int); select 1/0' };
    await expect(migrate(url, [first, second, broken])).rejects.toThrow('0003-third failed');
    const mended = { ...broken, sql: 'create table three (a int)' };
    expect(await migrate(url, [first, second, mended])).toEqual(['0003-third']);
  });

  it('a changed or foreign step stops the run', async () => {
    const changed = { ...first, sql: 'create table one (a bigint)' };
    for (const known of [
      [changed, second],
      [second, first],
    ]) {
      await expect(migrate(url, known)).rejects.toThrow(MigrationMismatch);
    }
  });

  it('two steps with the same number, or out of order, stop the run', async () => {
    const twin: Migration = { name: '0002-twin', sql: 'create table twin (a int)' };
    for (const known of [
      [first, second, twin],
      [first, second, { ...twin, name: '0001-twin' }],
    ]) {
      await expect(migrate(url, known)).rejects.toThrow('comes after 0002-second');
    }
  });

  it('an index is built without blocking writers, even by two processes at once and after a failed attempt', async () => {
    const done: Migration[] = [
      first,
      second,
      { name: '0003-third', sql: 'create table three (a int)' },
    ];
    const index: Migration = {
      name: '0004-index',
      sql: 'create unique index concurrently if not exists three_a on three (a)',
      isTransactional: false,
    };
    await withClient(url, (client) => client.query('insert into three values (1), (1)'));
    await expect(migrate(url, [...done, index])).rejects.toThrow('0004-index failed');
    await withClient(url, (client) =>
      client.query('delete from three where ctid = (select min(ctid) from three)'),
    );
    const applied = await Promise.all([1, 2, 3].map(() => migrate(url, [...done, index])));
    expect(applied.flat()).toEqual([index.name]);
    await withClient(url, async (client) => {
      const { rows } = await client.query(
        `select indisvalid from pg_index where indexrelid = 'three_a'::regclass`,
      );
      expect(rows).toEqual([{ indisvalid: true }]);
    });
  });

  it('a run with nothing to do waits for no reader of the tables, such as a backup of hours', async () => {
    const hurried = new URL(url);
    const options = hurried.searchParams.get('options') ?? '';
    hurried.searchParams.set('options', `${options} -clock_timeout=500`);
    await withClient(url, async (backup) => {
      await backup.query('begin');
      await backup.query('select from migrations');
      expect(await migrate(hurried.toString(), [first, second])).toEqual([]);
    });
  });

  it('an earlier build accepts what a later one has added, and refuses a schema from which a later one has removed something', async () => {
    const done = [first, second];
    const { rows } = await withClient(url, (client) => client.query('select name from migrations'));
    expect(rows.length).toBeGreaterThan(done.length);
    expect(await migrate(url, done)).toEqual([]);
    await withClient(url, (client) =>
      client.query(`update migrations set contracts = true where name = '0004-index'`),
    );
    await expect(migrate(url, done)).rejects.toThrow('0004-index, which removes what this build');
  });
});
