import { randomBytes } from 'node:crypto';
import {
  Database,
  type DatabaseOptions,
  EXTENSIONS_SCHEMA,
  type SchemaService,
  type Transaction,
  auditorRole,
  maintenanceRole,
  serviceRole,
  withClient,
} from '#libs/database';
import { waitFor } from './wait.js';

/** The variable with the URL of the test run's server. The suite's global set-up sets it, and creates the template. */
export const TEST_SERVER_URL = 'TEST_SERVER_URL';
export const TEMPLATE_DATABASE = 'template_services';
export const TEST_PASSWORD = 'test-password';
/** Long enough for dozens of callers that share ten connections on a busy machine. */
const CONNECT_TIMEOUT_MS = 60_000;

/** A separate database for one spec file: by default, a clone of the template with every service's empty schema. */
export class TestDatabase {
  private readonly opened: Database[] = [];

  private constructor(
    private readonly serverUrl: URL,
    readonly name: string,
  ) {}

  /** @param template the database to clone; `template0` gives an empty database. */
  static async create(template = TEMPLATE_DATABASE): Promise<TestDatabase> {
    const serverUrl = process.env[TEST_SERVER_URL];
    if (!serverUrl)
      throw new Error('run specs with "npm test", which starts the PostgreSQL server');
    const name = `test_${randomBytes(6).toString('hex')}`;
    // The default strategy copies pages through the WAL and takes twice as long, because a clone has 1,200 small files.
    await asAdmin(serverUrl, `create database ${name} template ${template} strategy file_copy`);
    return new TestDatabase(new URL(serverUrl), name);
  }

  /** Returns the URL of this database for a role, by default the superuser. */
  url(role?: string): string {
    const url = new URL(this.serverUrl);
    url.pathname = `/${this.name}`;
    if (!role) return url.toString();
    [url.username, url.password] = [role, TEST_PASSWORD];
    // A clone does not inherit the settings of its template's roles.
    url.searchParams.set('options', `-csearch_path=${role.split('_')[0]},${EXTENSIONS_SCHEMA}`);
    return url.toString();
  }

  /** Opens the database as the service's own role. `drop` closes it. */
  async service(service: SchemaService, entities?: DatabaseOptions['entities']): Promise<Database> {
    return this.openAs(serviceRole(service), entities);
  }

  async maintenance(service: SchemaService): Promise<Database> {
    return this.openAs(maintenanceRole(service));
  }

  async auditor(service: SchemaService): Promise<Database> {
    return this.openAs(auditorRole(service));
  }

  async schemas(): Promise<SchemaService[]> {
    return withClient(this.url(), async (client) => {
      const { rows } = await client.query<{ name: SchemaService }>(
        `select nspname as name from pg_namespace n join pg_roles r on r.oid = n.nspowner
         where r.rolname = nspname || '_owner' order by nspname`,
      );
      return rows.map(({ name }) => name);
    });
  }

  async drop(): Promise<void> {
    await Promise.all(this.opened.map((database) => database.close()));
    await asAdmin(this.serverUrl.toString(), `drop database if exists ${this.name} with (force)`);
  }

  private async openAs(role: string, entities?: DatabaseOptions['entities']): Promise<Database> {
    const database = await Database.open({
      url: this.url(role),
      applicationName: `test ${role}`,
      entities,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    });
    this.opened.push(database);
    return database;
  }
}

/** Returns how many rows of some tables, named with their schema, a transaction reads while it does `work`. */
export async function rowsRead(
  transaction: Pick<Database, 'query'>,
  tables: readonly string[],
  work: () => Promise<unknown>,
): Promise<number> {
  const count = async () => {
    const [{ read }] = await transaction.query<{ read: string }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_xact_user_tables
       where relid = any($1::regclass[])`,
      [tables],
    );
    return Number(read);
  };
  // The count begins with earlier transactions of the connection.
  const before = await count();
  await work();
  return (await count()) - before;
}

/**
 * Whether another session waits for a lock of this transaction. Within a transaction, pg_stat_activity lists only the
 * sessions that existed when it was first read.
 */
export async function isBlockedBy(transaction: Transaction): Promise<boolean> {
  const blocked = await transaction.query(
    'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
  );
  return blocked.length > 0;
}

const OBJECT_IN_USE = '55006';
/** The message of pg's error about a connection that did not open in time. */
const CONNECT_TIMEOUT = 'timeout expired';

/**
 * Runs a statement as the superuser. Repeats it, for up to four minutes, while a connection does not open in time or
 * other sessions use the database.
 */
async function asAdmin(serverUrl: string, statement: string): Promise<void> {
  await waitFor(statement, async () => {
    try {
      return await withClient(serverUrl, (client) => client.query(statement));
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      if (code === OBJECT_IN_USE || message === CONNECT_TIMEOUT) return undefined;
      throw error;
    }
  });
}
