import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rolesOf, withClient } from '#libs/database';
import { loadConfig } from '#libs/platform';
import { TEST_PASSWORD, TestDatabase } from '#test/environment';
import { InstallationDatabases, ownDatabasesConfig } from './installation-databases.js';
import type { AnyService } from './service.js';

const MIGRATIONS = [{ name: '0001-rows', sql: 'create table rows (a int)' }];
const SERVICES = [
  { name: 'account', migrations: MIGRATIONS },
  { name: 'lookup' },
  { name: 'gateway', migrations: MIGRATIONS, extensions: ['fuzzystrmatch'] },
] as unknown as AnyService[];

describe('the databases of an installation', () => {
  let common: TestDatabase;
  let own: TestDatabase;
  let databases: InstallationDatabases;

  beforeAll(async () => {
    [common, own] = await Promise.all([1, 2].map(() => TestDatabase.create('template0')));
    databases = new InstallationDatabases({
      services: SERVICES,
      adminUrl: common.url(),
      own: { gateway: own.url() },
      passwordOf: () => TEST_PASSWORD,
    });
  });
  afterAll(() => Promise.all([common, own].map((database) => database.drop())));

  const made = (test: TestDatabase) =>
    withClient(test.url(), async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select nspname || '.' || relname as name from pg_class c join pg_namespace n on n.oid = relnamespace
         where nspname = any($1) and relkind = 'r'
         union all select 'extension ' || extname from pg_extension where extname <> 'plpgsql' order by 1`,
        [SERVICES.map(({ name }) => name)],
      );
      return rows.map(({ name }) => name);
    });

  it('a service with its own database has its schema, tables and extensions only there', async () => {
    const told: [string, string[]][] = [];
    await databases.provision();
    await databases.migrate((...migrated) => told.push(migrated));
    expect(told).toEqual([
      ['account', ['0001-rows']],
      ['gateway', ['0001-rows']],
    ]);
    expect(await made(common)).toEqual(['account.migrations', 'account.rows']);
    expect(await made(own)).toEqual([
      'extension fuzzystrmatch',
      'gateway.migrations',
      'gateway.rows',
    ]);
  });

  it('a failed migration is reported once the schemas that are migrated at the same time are up to date', async () => {
    const failing = { name: '0001-rows', sql: 'select nothing' };
    const late = { name: '0001-late', sql: 'select pg_sleep(0.3); create table late (a int)' };
    const test = await TestDatabase.create('template0');
    const at = new InstallationDatabases({
      services: [
        { name: 'account', migrations: [failing] },
        { name: 'gateway', migrations: [late] },
      ] as unknown as AnyService[],
      adminUrl: test.url(),
      passwordOf: () => TEST_PASSWORD,
    });
    await at.provision();
    await expect(at.migrateAtOnce()).rejects.toThrow('migration 0001-rows failed');
    expect(await made(test)).toContain('gateway.late');
    await test.drop();
  });

  it('a URL without a host is refused, because the name of a role would be lost in it', () => {
    const adminUrl = 'postgres:///domain_data?host=/var/run/postgresql';
    const options = { services: SERVICES, adminUrl, passwordOf: () => TEST_PASSWORD };
    expect(() => new InstallationDatabases(options).url('account_owner')).toThrow(
      'postgres://postgres@%2Fvar%2Frun%2Fpostgresql/domain_data',
    );
  });

  it('every role connects to the database of its service', async () => {
    for (const [service, test] of [['account', common] as const, ['gateway', own] as const]) {
      for (const role of rolesOf(service)) {
        await withClient(databases.url(role), async (client) => {
          const { rows } = await client.query(
            'select current_database() as database, current_schema() as schema, current_user as role',
          );
          expect(rows).toEqual([{ database: test.name, schema: service, role }]);
        });
      }
    }
  });

  it('S114: a role of a service with its own database cannot connect to the shared one', async () => {
    const stranger = new URL(databases.url('gateway'));
    stranger.pathname = `/${common.name}`;
    await expect(withClient(stranger.toString(), async () => {})).rejects.toThrow(
      'permission denied for database',
    );
  });

  it('each service with a schema has a setting for the administrator of its own database', () => {
    const url = 'postgres://postgres@127.0.0.1/gateway';
    const config = loadConfig(ownDatabasesConfig(SERVICES), {
      GATEWAY_DATABASE_ADMIN_URL: url,
      LOOKUP_DATABASE_ADMIN_URL: url,
    });
    expect({ ...config }).toEqual({ gateway: url });
  });

  it('a service whose data is still in the shared database is not migrated to an empty separate one', async () => {
    const moved = new InstallationDatabases({
      services: SERVICES,
      adminUrl: common.url(),
      own: { account: own.url(), gateway: own.url() },
      passwordOf: () => TEST_PASSWORD,
    });
    await moved.provision();
    await expect(moved.migrate()).rejects.toThrow(
      'ACCOUNT_DATABASE_ADMIN_URL: account has its data in the shared database; move it first',
    );
    expect(await made(own)).not.toContain('account.rows');
    expect(await made(common)).toContain('account.rows');
    await withClient(common.url(), (client) => client.query('drop schema account cascade'));
    await moved.migrate();
    expect(await made(own)).toContain('account.rows');
  });
});
