import { createHmac } from 'node:crypto';
import pg from 'pg';
import { type SchemaPlan, checkExtensions } from './extensions.js';
import { roleStatements, schemaStatements } from './provision-statements.js';
import type { SchemaService } from './services.js';

const LOCK_KEY = 0x70726f76; // 'prov'

/**
 * Creates the roles (cluster-wide) with their passwords. Safe to repeat; a repetition sets the passwords again.
 * @param adminUrl the URL of a superuser, or of a role with CREATEROLE that created all of them.
 */
export async function provisionRoles(
  adminUrl: string,
  services: readonly SchemaService[],
  passwordOf: (role: string) => string,
): Promise<void> {
  await alone(adminUrl, async (client) => {
    for (const statement of roleStatements(services, passwordOf)) await client.query(statement);
  });
}

/** Derives the password of a role from one secret for all roles, so that a new role needs no additional secret. */
export function derivedRolePassword(secret: string, role: string): string {
  return createHmac('sha256', secret).update(role).digest('base64url');
}

/**
 * Creates, in the database that `adminUrl` names, the schemas, the rights of each role in them (S114), and the
 * extensions that the services need, because their own roles may not create extensions. Safe to repeat.
 * @param adminUrl the URL of a superuser, or of the database's owner with CREATEROLE.
 * @throws NotTheOwner, or ExtensionMissing if the server lacks an extension or has it in another schema; nothing is
 * changed then.
 */
export async function provisionSchemas(
  adminUrl: string,
  plans: readonly SchemaPlan[],
): Promise<void> {
  await alone(adminUrl, async (client) => {
    const { rows } = await client.query<Place>(PLACE);
    const [{ database, owner, role, isOwner }] = rows;
    if (!isOwner) {
      throw new NotTheOwner(
        `the database ${database} belongs to ${owner}, not to ${role}: provision it as its owner or as a superuser`,
      );
    }
    await checkExtensions(client, plans);
    for (const statement of schemaStatements(plans, database)) await client.query(statement);
  });
}

/** The error for a role that does not own the database: only the owner may decide who can connect. */
export class NotTheOwner extends Error {}

interface Place {
  database: string;
  owner: string;
  role: string;
  isOwner: boolean;
}

const PLACE = `
  select datname as database, datdba::regrole::text as owner, current_user as role,
         pg_has_role(datdba, 'usage') as "isOwner"
  from pg_database where datname = current_database()`;

/** The time limit for connecting, which is long because a server that is starting or busy takes a while. */
const CONNECT_TIMEOUT_MS = 20_000;

/**
 * Runs work like `withClient`, but one piece at a time: if two sessions create roles and grants at once, one of them
 * fails.
 */
function alone<T>(adminUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient(adminUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [LOCK_KEY]);
    return work(client);
  });
}

/** Runs `work` with a plain connection, which is closed afterwards. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // Without a listener, a connection that is lost between two queries would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
