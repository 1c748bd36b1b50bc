import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { requireExtensions } from './extensions.js';
import { withClient } from './provision.js';
import type { SchemaService } from './services.js';

/** One forward-only step of a schema. A released step is never edited; a changed text is refused. */
export interface Migration {
  /** The number and the purpose, such as `0001-accounts`. */
  name: string;
  sql: string;
  /**
   * Whether the migration runs in a transaction; false for a single statement that cannot, such as `create index
   * concurrently if not exists`. The statement must be safe to repeat, because the process may die after it. An index
   * that a failed run left invalid is dropped first.
   */
  isTransactional?: false;
  /**
   * True if the migration removes objects that the last release no longer uses: the second half of expand and contract.
   * All other migrations must not change the objects that the last release reads and writes.
   */
  contracts?: true;
}

/**
 * The error for a database that lacks the schema, or whose applied migrations differ from this build's, and for a build
 * whose migrations are out of order. Further migrations that only add to the schema do not count as a difference.
 */
export class MigrationMismatch extends Error {}

const LOCK_KEY = 0x6d696772; // 'migr'
const LOCK_RETRY_MS = 100;

/**
 * Revokes the service's right to write to the table of migrations, which the schema's default privileges grant for
 * every table.
 */
const LEAVE_TO_OWNER = `
  do $$ declare writer text; begin
    for writer in
      select distinct grantee::regrole::text from pg_class, aclexplode(relacl)
      where pg_class.oid = 'migrations'::regclass and grantee <> relowner and grantee <> 0
    loop
      execute format('revoke insert, update, delete on migrations from %s', writer);
    end loop;
  end $$`;

/**
 * Adds the column to a table of an earlier release, which refuses every migration that it does not know. With `if not
 * exists`, every run would lock the table against its readers, and wait for a backup that reads it.
 */
const ADD_CONTRACTS = `
  do $$ begin
    if not exists (
      select from pg_attribute where attrelid = 'migrations'::regclass and attname = 'contracts')
    then
      alter table migrations add column contracts boolean not null default false;
    end if;
  end $$`;

/**
 * Brings one schema up to date: under a lock, in order, each migration in its own transaction (unless it is declared to
 * run outside one) with a lock timeout of 5 s. Concurrent callers wait for one another. It requires an unpooled URL of
 * the owner role. @param extensions the extensions that the migrations use; provisioning creates them.
 * @returns the names of the migrations applied by this call.
 * @throws ExtensionMissing before anything is applied.
 * @throws MigrationMismatch if the schema does not exist, an applied migration is unknown to this build or its text has
 *   changed, or if the numbers do not ascend. Later migrations of a newer build are accepted unless one of them
 *   `contracts`: this build works with what the others have added.
 * @throws Error that names the migration that failed; those before it are applied.
 */
export async function migrate(
  ownerUrl: string,
  migrations: readonly Migration[],
  extensions: readonly string[] = [],
): Promise<string[]> {
  return withClient(ownerUrl, async (client) => {
    await requireExtensions(client, extensions);
    await lockSchema(client);
    await client.query(
      `create table if not exists migrations (
         name text primary key,
         checksum text not null,
         applied_at timestamptz not null default clock_timestamp())`,
    );
    await client.query(ADD_CONTRACTS);
    await client.query(LEAVE_TO_OWNER);
    checkOrder(migrations);
    const applied = await appliedMigrations(client);
    checkApplied(applied, migrations);
    const pending = migrations.slice(applied.length);
    for (const migration of pending) {
      const isAlone = migration.isTransactional === false;
      await (isAlone ? applyAlone(client, migration) : apply(client, migration));
    }
    return pending.map((migration) => migration.name);
  });
}

/**
 * Checks that the numbers of migrations ascend. The database sorts them by name, so two with the same number could be
 * in a different order there.
 * @throws MigrationMismatch
 */
function checkOrder(migrations: readonly Migration[]): void {
  for (const [index, { name }] of migrations.slice(1).entries()) {
    const before = migrations[index].name;
    if (numberOf(before) >= numberOf(name)) {
      throw new MigrationMismatch(`migration ${name} comes after ${before}: numbers must ascend`);
    }
  }
}

const numberOf = (name: string) => name.split('-')[0];

/** Whether `migrate` has been run for the service in this database. */
export async function isMigrated(url: string, service: SchemaService): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ isThere: boolean }>(
      `select to_regclass(quote_ident($1) || '.migrations') is not null as "isThere"`,
      [service],
    );
    return rows[0].isThere;
  });
}

/**
 * Polls for the lock instead of waiting for it, because building an index concurrently would wait for every waiting
 * statement. @throws MigrationMismatch if the role's schema does not exist.
 */
async function lockSchema(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ isLocked: boolean | null }>(
      // Without its schema, a role's first schema is often the public one.
      `select pg_try_advisory_lock($1, hashtext(nullif(current_schema(), 'public'))) as "isLocked"`,
      [LOCK_KEY],
    );
    if (rows[0].isLocked === null) {
      throw new MigrationMismatch(
        `the database does not have the schema of the role ${client.user}: provision it first (npm run cli -- provision)`,
      );
    }
    if (rows[0].isLocked) return;
    await sleep(LOCK_RETRY_MS);
  }
}

interface Applied {
  name: string;
  checksum: string;
  contracts: boolean;
}

async function appliedMigrations(client: Client): Promise<Applied[]> {
  const { rows } = await client.query<Applied>(
    'select name, checksum, contracts from migrations order by name',
  );
  return rows;
}

function checkApplied(applied: Applied[], migrations: readonly Migration[]): void {
  for (const [index, { name, checksum, contracts }] of applied.entries()) {
    const known = migrations.at(index);
    if (!known && !contracts) continue;
    if (!known) {
      throw new MigrationMismatch(
        `the database has migration ${name}, which removes what this build may use: it was migrated by a newer build`,
      );
    }
    if (known.name !== name) {
      throw new MigrationMismatch(
        `the database has migration ${name} where this build has ${known.name}: it was migrated by another build`,
      );
    }
    if (checksumOf(known) !== checksum) {
      throw new MigrationMismatch(`migration ${name} was changed after it had been applied`);
    }
  }
}

async function apply(client: Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '5s'`);
    await client.query(migration.sql);
    await note(client, migration);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw new Error(`migration ${migration.name} failed: ${String(error)}`, { cause: error });
  }
}

async function applyAlone(client: Client, migration: Migration): Promise<void> {
  try {
    const { rows } = await client.query<{ drop: string }>(INVALID_INDEXES);
    for (const { drop } of rows) await client.query(drop);
    await client.query(migration.sql);
    await note(client, migration);
  } catch (error) {
    throw new Error(`migration ${migration.name} failed: ${String(error)}`, { cause: error });
  }
}

async function note(client: Client, migration: Migration): Promise<void> {
  const { name, contracts = false } = migration;
  await client.query('insert into migrations (name, checksum, contracts) values ($1, $2, $3)', [
    name,
    checksumOf(migration),
    contracts,
  ]);
}

const INVALID_INDEXES = `
  select format('drop index %I', c.relname) as drop
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where not i.indisvalid and c.relkind = 'i' and c.relnamespace = current_schema()::regnamespace`;

/** Returns the checksum of a migration's SQL, which the database stores for an applied migration. */
export function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}
