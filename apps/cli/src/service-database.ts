import { Database } from '#libs/database';
import type { ServiceName } from '#libs/platform';
import { databaseSetting } from '#libs/services';
import type { Databases } from './declared.js';
import { required } from './required.js';

/**
 * Runs `work` with the database of a service, under the service's role, and closes the connection.
 * @throws ConfigurationError if the URL of the database is not set; the errors of `work`.
 */
export async function withServiceDatabase<T>(
  databases: Databases,
  service: ServiceName,
  work: (database: Database) => Promise<T>,
  entities: NonNullable<Parameters<typeof Database.open>[0]['entities']> = [],
): Promise<T> {
  const url = required(databases, service, databaseSetting(service));
  const database = await Database.open({ url, applicationName: 'cli', poolSize: 1, entities });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
