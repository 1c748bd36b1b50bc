import type { DatabaseConfig } from './database.config.js';
import { Database, type DatabaseOptions } from './database.js';
import { AUDIT_TIMEOUT_MS } from './statement-limits.js';

interface ServiceAddresses extends DatabaseConfig {
  databaseUrl: string;
  maintenanceDatabaseUrl: string;
}

export interface ServiceDatabases {
  database: Database;
  /** The pool of the maintenance role, for the outbox relay and the jobs. */
  maintenanceDatabase: Database;
}

/**
 * Opens the two pools of a service. Their addresses are read again for each new connection, because a password may
 * change while the service runs. @throws the errors of `Database.open`.
 */
export async function openServiceDatabases(
  service: string,
  config: ServiceAddresses,
  entities: NonNullable<DatabaseOptions['entities']>,
): Promise<ServiceDatabases> {
  const database = await Database.open({
    url: () => config.databaseUrl,
    applicationName: service,
    poolSize: config.poolSize,
    entities,
  });
  const maintenanceDatabase = await Database.open({
    url: () => config.maintenanceDatabaseUrl,
    applicationName: `${service} maintenance`,
    poolSize: config.maintenancePoolSize,
    entities,
  });
  return { database, maintenanceDatabase };
}

/** Opens the one connection of a service's auditor; see `openServiceDatabases`. */
export async function openAuditorDatabase(
  service: string,
  config: { auditorDatabaseUrl: string },
): Promise<Database> {
  return Database.open({
    url: () => config.auditorDatabaseUrl,
    applicationName: `${service} auditor`,
    poolSize: 1,
    statementTimeoutMs: AUDIT_TIMEOUT_MS,
  });
}
