import { createHmac } from 'node:crypto';
import pg from 'pg';
import { EXTENSIONS_SCHEMA, type SchemaPlan, createExtensions } from './extensions.js';
import {
  type SchemaService,
  auditorRole,
  maintenanceRole,
  ownerRole,
  rolesOf,
  serviceRole,
} from './services.js';

const { escapeIdentifier, escapeLiteral } = pg;

const LOCK_KEY = 0x70726f76; // 'prov'

/**
 * Creates what a superuser must: the roles (cluster-wide) with their passwords. Safe to repeat; a
 * repeated call sets the passwords again.
 */
export async function provisionRoles(
  adminUrl: string,
  services: readonly SchemaService[],
  passwordOf: (role: string) => string,
): Promise<void> {
  await alone(adminUrl, async (client) => {
    for (const role of services.flatMap(rolesOf)) {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
      const verb = rowCount ? 'alter' : 'create';
      await client.query(
        `${verb} role ${escapeIdentifier(role)} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password ${escapeLiteral(passwordOf(role))}`,
      );
    }
  });
}

/** The password of a role where one secret stands for all of them, so that a new role needs none of its own. */
export function derivedRolePassword(secret: string, role: string): string {
  return createHmac('sha256', secret).update(role).digest('base64url');
}

/**
 * Creates the schemas in the database that `adminUrl` names, what each role may do in them (S114), and the extensions
 * that the services want: their own roles may not. Safe to repeat.
 * @throws ExtensionMissing before anything is changed, where the server lacks one.
 */
export async function provisionSchemas(
  adminUrl: string,
  plans: readonly SchemaPlan[],
): Promise<void> {
  await alone(adminUrl, async (client) => {
    await createExtensions(client, plans);
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    const database = escapeIdentifier(rows[0].name);
    await client.query('revoke all on schema public from public');
    await client.query(`revoke all on database ${database} from public`);
    for (const plan of plans) await client.query(schemaStatements(plan, database));
  });
}

function schemaStatements(
  { name: service, extensions = [] }: SchemaPlan,
  database: string,
): string {
  const [schema, owner] = [service, ownerRole(service)].map((n) => escapeIdentifier(n));
  const writers = [serviceRole(service), maintenanceRole(service)];
  const all = [...writers, auditorRole(service)].map((n) => escapeIdentifier(n));
  const grantTo = (privileges: string, roles: string[]) =>
    `alter default privileges for role ${owner} in schema ${schema} grant ${privileges} to ${roles.join(', ')};`;
  const path = extensions.length > 0 ? `${schema}, ${EXTENSIONS_SCHEMA}` : schema;
  return [
    `create schema if not exists ${schema} authorization ${owner};`,
    `grant connect on database ${database} to ${[owner, ...all].join(', ')};`,
    `grant usage on schema ${schema} to ${all.join(', ')};`,
    extensions.length > 0
      ? `grant usage on schema ${EXTENSIONS_SCHEMA} to ${[owner, ...all].join(', ')};`
      : '',
    // The outbox's change feed reads the cluster's identity (see libs/messaging).
    `grant execute on function pg_control_system() to ${escapeIdentifier(serviceRole(service))};`,
    grantTo(
      'select, insert, update, delete on tables',
      writers.map((n) => escapeIdentifier(n)),
    ),
    grantTo(
      'usage, select on sequences',
      writers.map((n) => escapeIdentifier(n)),
    ),
    grantTo('select on tables', [escapeIdentifier(auditorRole(service))]),
    ...rolesOf(service).map(
      (role) =>
        `alter role ${escapeIdentifier(role)} in database ${database} set search_path = ${path};`,
    ),
  ].join('\n');
}

/** A server that starts, or has much to do, takes its time. */
const CONNECT_TIMEOUT_MS = 20_000;

/** As `withClient`, one at a time: roles and grants that two sessions make at once fail in one of them. */
function alone<T>(adminUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient(adminUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [LOCK_KEY]);
    return work(client);
  });
}

/** Runs `work` with one plain connection that is closed afterwards. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // Without a listener a connection lost between two queries ends the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
