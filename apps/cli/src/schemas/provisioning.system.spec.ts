import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, EmbeddedServer, derivedRolePassword, rolesOf, withClient } from '#libs/database';
import { ChangeFeed } from '#libs/messaging';
import { InstallationDatabases, schemaServices } from '#libs/services';
import { TEST_PASSWORD, makeOwnFolder } from '#test/environment';
import { SERVICES } from '../declared.js';

/** The folder of the oldest supported PostgreSQL version, as installed by Debian. */
const OLDEST = '/usr/lib/postgresql/15';
const SERVERS: { release: string; binaries?: string }[] = [
  { release: 'the embedded PostgreSQL' },
  ...(existsSync(`${OLDEST}/bin/initdb`) ? [{ release: 'PostgreSQL 15', binaries: OLDEST }] : []),
];
const ROLE_SECRET = 'a-secret-of-thirty-two-characters';
const CLI = new URL('../main.js', import.meta.url).pathname;

/** The statements for an administrator in docs/operations/databases.md, and the names in these statements. */
const PAGE = readFileSync('docs/operations/databases.md', 'utf8');
const DOCUMENTED = /```sql\n([^`]+)```/.exec(PAGE)?.[1].trim().split('\n') ?? [];
const ADMIN = 'dds_admin';
const BY_HAND = 'domain_data';
const ROLES = schemaServices(SERVICES).flatMap(rolesOf);

/** SQL that lists the owner of each object, and the rights of every role on it. */
const MADE = `
  select 'schema' as kind, nspname::text as name, nspowner::regrole::text as owner, nspacl::text as may
  from pg_namespace where nspowner::regrole::text = any($1)
  union all
  select relkind::text, c.oid::regclass::text, relowner::regrole::text, relacl::text
  from pg_class c where relowner::regrole::text = any($1) and relkind in ('r', 'p', 'S', 'v')
  union all
  select 'default', defaclnamespace::regnamespace::text || defaclobjtype::text, defaclrole::regrole::text, defaclacl::text
  from pg_default_acl
  union all
  select 'setting', s.setrole::regrole::text, '', s.setconfig::text
  from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()
  union all
  select 'extension', extname::text, '', extnamespace::regnamespace::text from pg_extension
  order by 1, 2, 3, 4`;

const RAISED = `
  select rolname from pg_roles r
  where rolname = any($1) and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
    or exists (select from pg_auth_members where member = r.oid))`;

describe.each(SERVERS)('$release, provisioned without a superuser', ({ binaries }) => {
  /** On one server, all tables are compared as well: on the others, their default privileges suffice. */
  const isLast = binaries === SERVERS.at(-1)?.binaries;
  const folder = makeOwnFolder('dds-provisioning');
  let server: EmbeddedServer;

  beforeAll(async () => {
    server = await EmbeddedServer.start({
      folder,
      password: TEST_PASSWORD,
      durable: false,
      binaries,
    });
    expect(DOCUMENTED).toHaveLength(2);
    for (const line of DOCUMENTED) await asSuperuser('postgres', line.replace('…', TEST_PASSWORD));
    await asSuperuser('postgres', `create database by_command owner ${ADMIN}`);
    for (const database of [BY_HAND, 'by_command']) {
      // Some managed servers do not allow this function.
      await asSuperuser(database, 'revoke execute on function pg_control_system() from public');
    }
  });
  afterAll(async () => {
    await server.stop();
    rmSync(server.folder, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });

  function urlOf(database: string, role = ADMIN): string {
    const url = new URL(server.url(database));
    url.username = role;
    return url.toString();
  }
  const installation = (database: string, user?: string) =>
    new InstallationDatabases({
      services: SERVICES,
      adminUrl: urlOf(database, user),
      passwordOf: (role) => derivedRolePassword(ROLE_SECRET, role),
    });
  const environmentOf = (database: string, user?: string) => ({
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    DATABASE_ADMIN_URL: urlOf(database, user),
    DATABASE_ROLE_SECRET: ROLE_SECRET,
  });
  const query = (url: string, sql: string, values?: unknown[]) =>
    withClient(url, async (client) => (await client.query<object>(sql, values)).rows);
  const asSuperuser = (database: string, sql: string, values?: unknown[]) =>
    query(server.url(database), sql, values);
  const asAdmin = (database: string, sql: string) => query(urlOf(database), sql);
  const made = (database: string) => asSuperuser(database, MADE, [ROLES]);

  it('the printed statements create all objects that `migrate` needs, and can be repeated', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'provision', '--sql'], {
      env: environmentOf(BY_HAND, 'nobody'),
    });
    expect(stdout).toMatch(new RegExp(`^-- The database ${BY_HAND} of 127.0.0.1:`));
    for (const sql of [stdout, stdout]) await asAdmin(BY_HAND, sql);
    // `migrate` uses only the address in this URL.
    if (isLast) await installation(BY_HAND, 'nobody').migrate();
  });

  it('S114: the command, run by a superuser or an administrator, creates the same objects as the printed statements, and raises no role’s rights', async () => {
    await asSuperuser('postgres', 'create database by_superuser');
    const superusers = installation('by_superuser', 'postgres');
    const admins = installation('by_command');
    for (const databases of [admins, admins, superusers]) await databases.provision();
    for (const databases of isLast ? [admins, superusers] : []) await databases.migrate();
    const expected = await made('by_superuser');
    expect(expected.length).toBeGreaterThan(isLast ? 2 * ROLES.length : 0);
    expect(await made('by_command')).toEqual(expected);
    expect(await made(BY_HAND)).toEqual(expected);
    if (!isLast) await admins.migrate();
    expect(await asSuperuser('postgres', RAISED, [ROLES])).toEqual([]);
  });

  it('S114: a role loses the rights that it does not need', async () => {
    await asSuperuser('postgres', 'alter role gateway createrole');
    expect(await asSuperuser('postgres', RAISED, [ROLES])).toEqual([{ rolname: 'gateway' }]);
    await installation('by_command').provision();
    expect(await asSuperuser('postgres', RAISED, [ROLES])).toEqual([]);
  });

  it('a change feed works even if nobody may call pg_control_system()', async () => {
    const url = installation('by_command').url('account');
    await expect(query(url, 'select pg_control_system()')).rejects.toThrow('permission denied');
    const account = await Database.open({ url, applicationName: 'test account' });
    try {
      expect((await new ChangeFeed(account).read()).keys).toEqual([]);
    } finally {
      await account.close();
    }
  });

  // The commands are tried on one server. On the embedded server, other specs check every invariant.
  if (isLast) {
    it('`verify` finds violated invariants in a copy of the database, without a running service', async () => {
      await asSuperuser('postgres', `create database copied template by_command owner ${ADMIN}`);
      await installation('copied').provision();
      await asSuperuser(
        'copied',
        `insert into billing.number_series (series, last) values ('X', 7)`,
      );
      const verify = (database: string) =>
        promisify(execFile)(process.execPath, [CLI, 'verify'], { env: environmentOf(database) });
      const holds = (service: string) =>
        new RegExp(`^${service}: (\\d+) of \\1 invariants hold`, 'm');
      const { stdout } = await verify('by_command');
      for (const service of ['entitlement', 'billing', 'gateway'])
        expect(stdout).toMatch(holds(service));
      const violated = await verify('copied').catch((error: unknown) => error);
      expect(violated).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(
          'I8 does not hold for 1 row: invoice numbers have no gap, and the series ends with the last of them.',
        ),
      });
      expect(violated).toMatchObject({ stdout: expect.stringMatching(holds('entitlement')) });
    });

    it('`migrate` reports in one sentence that a newer version has removed something from the database', async () => {
      await asSuperuser('postgres', `create database newer template by_command owner ${ADMIN}`);
      await installation('newer').provision();
      await asSuperuser(
        'newer',
        `insert into account.migrations (name, checksum, contracts) values ('9999-newer', '', true)`,
      );
      const env = environmentOf('newer');
      const migrate = promisify(execFile)(process.execPath, [CLI, 'migrate'], { env });
      await expect(migrate).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^the database has migration 9999-newer, [^\n]+\n$/),
      });
    });

    it('without Citus, the tables of the corpus stay where they are, and the command says why', async () => {
      const distributed = promisify(execFile)(process.execPath, [CLI, 'corpus', 'distribute'], {
        env: environmentOf('by_command'),
      });
      await expect(distributed).rejects.toMatchObject({
        code: 1,
        stdout: '',
        stderr:
          'The database does not have the PostgreSQL extension citus, so it has no nodes to spread tables over.\n',
      });
    });
  }

  it('a database with another owner is rejected with a message, and nothing is created in it', async () => {
    await asSuperuser('postgres', 'create database of_another');
    await expect(installation('of_another').provision()).rejects.toThrow(
      `the database of_another belongs to postgres, not to ${ADMIN}: provision it as its owner or as a superuser`,
    );
    expect((await made('of_another')).map((row) => 'name' in row && row.name)).toEqual(['plpgsql']);
  });
});
