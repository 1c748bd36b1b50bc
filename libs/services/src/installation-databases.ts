import { IsOptional } from 'class-validator';
import {
  type Invariant,
  type InvariantSet,
  IsDatabaseUrl,
  auditorRole,
  checkAllRows,
  isMigrated,
  migrate,
  openAuditorDatabase,
  ownerRole,
  provisionRoles,
  provisionSchemas,
  roleStatements,
  rolesOf,
  schemaStatements,
} from '#libs/database';
import { type ConfigClass, ConfigurationError, type ServiceName, Setting } from '#libs/platform';
import { ownDatabaseSetting, schemaServices } from './installation-settings.js';
import type { AnyService } from './service.js';

/** The maximum number of rows that are returned as examples of a violation. */
const EXAMPLES = 5;
const NO_HOST =
  'DATABASE_ADMIN_URL: the URL names no host; for a Unix socket, write its encoded folder: postgres://postgres@%2Fvar%2Frun%2Fpostgresql/domain_data';

/** Administrator URLs of databases that belong to individual services; all other services share one database. */
export type OwnDatabases = Partial<Record<ServiceName, string>>;

/** Returns a config class with the administrator URL of each service's own database; each is optional. */
export function ownDatabasesConfig(services: readonly AnyService[]): ConfigClass<OwnDatabases> {
  class OwnDatabasesConfig {}
  for (const name of schemaServices(services)) {
    const about = `Administrator URL of a separate PostgreSQL database for ${name}, with the database as its path. Unset: ${name} uses the database of DATABASE_ADMIN_URL.`;
    const setting = Setting({ env: ownDatabaseSetting(name), about, secret: true });
    for (const decorate of [setting, IsOptional(), IsDatabaseUrl()]) {
      decorate(OwnDatabasesConfig.prototype, name);
    }
  }
  return OwnDatabasesConfig;
}

export interface DatabasesOptions {
  services: readonly AnyService[];
  /**
   * The administrator's URL of the shared database. The administrator is a superuser, or the database's owner with
   * CREATEROLE.
   */
  adminUrl: string;
  own?: OwnDatabases;
  passwordOf(role: string): string;
}

export interface InstallationDatabase {
  adminUrl: string;
  services: readonly AnyService[];
}

/** What `verify` found in the data of one service. */
export interface VerifiedService {
  service: ServiceName;
  /** The number of invariants that were checked. */
  checked: number;
  violated: readonly (Pick<Invariant, 'id' | 'statement'> & { rows: number; examples: object[] })[];
  /** When the newest stored event occurred; null if there is none. */
  newestEventAt: Date | null;
}

/** The databases that contain the schemas of an installation: the shared one, and those of individual services. */
export class InstallationDatabases {
  constructor(private readonly options: DatabasesOptions) {}

  /** Every database with a schema, in the order of the services. */
  get all(): readonly InstallationDatabase[] {
    const { services } = this.options;
    const withSchema = services.filter(({ migrations }) => migrations !== undefined);
    const byUrl = Map.groupBy(withSchema, ({ name }) => this.adminUrl(name));
    return [...byUrl].map(([adminUrl, held]) => ({ adminUrl, services: held }));
  }

  /** Returns the administrator's URL of the database with the service's schema. */
  adminUrl(service: ServiceName): string {
    const { adminUrl, own = {} } = this.options;
    return own[service] ?? adminUrl;
  }

  /**
   * Returns the URL of a role: a service's role in the database with the service's schema, any other role in the shared
   * database.
   */
  url(role: string): string {
    const { services, adminUrl, passwordOf } = this.options;
    const service = services.find(({ name }) => rolesOf(name).includes(role));
    const url = new URL(service ? this.adminUrl(service.name) : adminUrl);
    // A URL without a host cannot have a user.
    if (url.hostname === '') throw new ConfigurationError([NO_HOST]);
    [url.username, url.password] = [role, passwordOf(role)];
    return url.toString();
  }

  /**
   * Returns the statements of `provision` as one script per database, for another person to run. The scripts contain
   * the passwords of the roles.
   */
  get provisionScripts(): { host: string; database: string; sql: string }[] {
    return this.all.map(({ adminUrl, services }) => {
      const { host, pathname } = new URL(adminUrl);
      const database = decodeURIComponent(pathname.slice(1));
      const names = services.map(({ name }) => name);
      const statements = [
        ...roleStatements(names, this.options.passwordOf),
        ...schemaStatements(services, database),
      ];
      return { host, database, sql: statements.join('\n') };
    });
  }

  /**
   * Creates roles, schemas and extensions in each database for its services. Safe to repeat.
   * @throws NotTheOwner, or ExtensionMissing if a server lacks an extension.
   */
  async provision(): Promise<void> {
    for (const { adminUrl, services } of this.all) {
      await provisionRoles(
        adminUrl,
        services.map(({ name }) => name),
        this.options.passwordOf,
      );
      await provisionSchemas(adminUrl, services);
    }
  }

  /**
   * Brings every schema up to date, one after another.
   * @param told receives the migrations that this call applied.
   * @throws ConfigurationError if a service would start with an empty separate database while its data is still in the
   * shared one; the errors of `migrate`.
   */
  async migrate(told: (service: ServiceName, applied: string[]) => void = () => {}): Promise<void> {
    await this.checkMoved();
    for (const service of this.options.services) {
      if (service.migrations) told(service.name, await this.migrateOne(service));
    }
  }

  /** Brings every schema up to date, all at the same time: for small databases. @throws the errors of `migrate`. */
  async migrateAtOnce(): Promise<void> {
    await this.checkMoved();
    const all = this.options.services.map((service) => this.migrateOne(service));
    // No migration continues after this has ended.
    await Promise.allSettled(all);
    await Promise.all(all);
  }

  private async migrateOne({ name, migrations = [], extensions }: AnyService): Promise<string[]> {
    if (migrations.length === 0) return [];
    return migrate(this.url(ownerRole(name)), migrations, extensions);
  }

  /**
   * Checks the invariants of every service's stored data, except those that only a running service restores. Changes
   * nothing.
   */
  async verify(): Promise<VerifiedService[]> {
    const verified: VerifiedService[] = [];
    for (const { name, invariants } of this.options.services) {
      if (invariants) verified.push(await this.verifyService(name, await invariants()));
    }
    return verified;
  }

  private async verifyService(service: ServiceName, set: InvariantSet): Promise<VerifiedService> {
    const invariants = set.invariants.filter(({ isKeptByJobs }) => !isKeptByJobs);
    const auditorDatabaseUrl = this.url(auditorRole(service));
    const database = await openAuditorDatabase(service, { auditorDatabaseUrl });
    try {
      const found = await checkAllRows(database, { ...set, invariants });
      const violated = found.map(({ id, rows }) => {
        const { statement } = invariants.find((invariant) => invariant.id === id)!;
        return { id, statement, rows: rows.length, examples: rows.slice(0, EXAMPLES) };
      });
      const [{ at }] = await database.query<{ at: Date | null }>(
        'select max(occurred_at) as at from outbox',
      );
      return { service, checked: invariants.length, violated, newestEventAt: at };
    } finally {
      await database.close();
    }
  }

  private async checkMoved(): Promise<void> {
    const { adminUrl, own = {} } = this.options;
    const left: string[] = [];
    for (const [name, url] of Object.entries(own) as [ServiceName, string][]) {
      if ((await isMigrated(url, name)) || !(await isMigrated(adminUrl, name))) continue;
      left.push(
        `${ownDatabaseSetting(name)}: ${name} has its data in the shared database; move it first, as docs/operations/databases.md says`,
      );
    }
    if (left.length > 0) throw new ConfigurationError(left);
  }
}
