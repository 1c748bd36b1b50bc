import { type SchemaPlan, checkExtensions } from './extensions.js';
import { withClient } from './provision.js';

/** The oldest release of PostgreSQL that the statements support, as `server_version_num`. */
const VERSION_MIN = 150_000;

interface Server {
  version: string;
  number: number;
  role: string;
  mayProvision: boolean;
}

const ABOUT = `
  select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
         rolname as role, rolsuper or rolcreaterole as "mayProvision"
  from pg_roles where rolname = current_user`;

/**
 * Checks whether the services' schemas can be provisioned with this URL, and changes nothing. @returns the server's
 * version. @throws Error that names the missing requirement; the driver's error if the server cannot be reached.
 */
export async function checkServer(adminUrl: string, plans: readonly SchemaPlan[]): Promise<string> {
  return withClient(adminUrl, async (client) => {
    const { rows } = await client.query<Server>(ABOUT);
    const [{ version, number, role, mayProvision }] = rows;
    if (number < VERSION_MIN)
      throw new Error(`it is PostgreSQL ${version}, but at least version 15 is required`);
    if (!mayProvision) {
      throw new Error(
        `the role ${role} may not create roles: name a superuser, or one with CREATEROLE`,
      );
    }
    await checkExtensions(client, plans);
    return `PostgreSQL ${version}`;
  });
}
