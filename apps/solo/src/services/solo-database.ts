import { withClient } from '#libs/database';
import { Logger, type ServiceName } from '#libs/platform';
import {
  InstallationDatabases,
  type OwnDatabases,
  type Settings,
  ownDatabaseSetting,
} from '#libs/services';
import { SERVICES } from '../../../services.js';
import type { DataFolder } from '../data-folder/data-folder.js';
import {
  SERVER_FOLDER,
  recordServerFolder,
  recordedServerFolder,
} from '../data-folder/server-folder.js';
import type { Secrets } from '../data-folder/secrets.js';
import { SoloServer } from './solo-server.js';

const DATABASE = 'domain_data';

export interface SoloDatabaseOptions {
  folder: DataFolder;
  secrets: Secrets;
  /** The URL of an administrator of the operator's own server, which replaces the embedded server. */
  adminUrl?: string;
  /** The administrator URLs of the databases that belong to individual services. */
  own?: OwnDatabases;
  /** Whether data survives a crash of the machine; true by default, false only for temporary installations of tests. */
  durable?: boolean;
  signal?: AbortSignal;
  logger?: Logger;
  /** Called when the server ends unexpectedly, and when it runs again. */
  say?: (line: string) => void;
}

/**
 * The databases of an installation (the shared one, and those of individual services) with every schema and role up to
 * date.
 */
export class SoloDatabase {
  private readonly places: InstallationDatabases;

  private constructor(
    private readonly adminUrl: string,
    private readonly options: SoloDatabaseOptions,
    private readonly server?: SoloServer,
  ) {
    this.places = new InstallationDatabases({
      services: SERVICES,
      adminUrl: this.superuserUrl,
      own: options.own,
      passwordOf: (role) => this.rolePassword(role),
    });
  }

  /** Whether this installation has not created its own server yet. */
  static isNew(folder: DataFolder): boolean {
    return recordedServerFolder(folder) === undefined;
  }

  /**
   * Starts the server, or adopts a server that a killed process left running; with `adminUrl`, uses the operator's.
   * Call `prepare` next.
   */
  static async open(options: SoloDatabaseOptions): Promise<SoloDatabase> {
    const { folder, secrets, adminUrl, durable, signal } = options;
    const { logger = new Logger('solo'), say = () => undefined } = options;
    if (adminUrl) return new SoloDatabase(adminUrl, options);
    const password = secrets.get('postgres');
    const existing = !SoloDatabase.isNew(folder);
    const wanted = { folder: folder.file(SERVER_FOLDER), password, durable, existing, signal };
    const server = await SoloServer.start(wanted, { logger, say });
    recordServerFolder(folder, server.folder);
    return new SoloDatabase(server.url(), options, server);
  }

  get superuserUrl(): string {
    const url = new URL(this.adminUrl);
    url.pathname = `/${DATABASE}`;
    return url.toString();
  }

  get ownSettings(): Settings {
    const own = Object.entries(this.options.own ?? {});
    return Object.fromEntries(
      own.map(([name, url]) => [ownDatabaseSetting(name as ServiceName), url]),
    );
  }

  /** Returns the URL of a role in the database with its service's schema. */
  url(role: string): string {
    return this.places.url(role);
  }

  /** Returns the password of a role, for code that provisions another role. */
  rolePassword(role: string): string {
    return this.options.secrets.rolePassword(role);
  }

  /** Stops the server that was started here. It must be the last part to stop. */
  async stop(): Promise<void> {
    await this.server?.stop();
  }

  /**
   * Creates the shared database with its roles and schemas, and migrates them. Separate databases must already exist.
   */
  async prepare(): Promise<void> {
    await withClient(this.adminUrl, async (client) => {
      const { rowCount } = await client.query('select from pg_database where datname = $1', [
        DATABASE,
      ]);
      if (!rowCount) await client.query(`create database ${DATABASE}`);
    });
    await this.places.provision();
    await this.places.migrateAtOnce();
  }
}
