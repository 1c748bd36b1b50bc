import { existsSync } from 'node:fs';
import {
  EmbeddedServer,
  migrate,
  ownerRole,
  provisionRoles,
  provisionSchemas,
  withClient,
} from '#libs/database';
import { schemaServices } from '#libs/services';
import { SERVICES } from '../../../services.js';
import type { DataFolder } from '../data-folder/data-folder.js';
import type { Secrets } from '../data-folder/secrets.js';

const DATABASE = 'domain_data';

export interface SoloDatabaseOptions {
  folder: DataFolder;
  secrets: Secrets;
  /** Superuser of a server of the operator's own, instead of the embedded one. */
  adminUrl?: string;
  /** False only for throw-away installations of tests. */
  durable?: boolean;
  /** Ends the making of a new server half-way. */
  signal?: AbortSignal;
}

/** The one database of an installation, with every service's schema and roles up to date. */
export class SoloDatabase {
  private constructor(
    private readonly adminUrl: string,
    private readonly secrets: Secrets,
    private readonly server?: EmbeddedServer,
  ) {}

  /** Whether this installation has no server of its own yet. */
  static isNew(folder: DataFolder): boolean {
    return !existsSync(folder.file('postgres.json'));
  }

  /** Starts the server, or adopts the one that a killed process left. `prepare` comes next. */
  static async open(options: SoloDatabaseOptions): Promise<SoloDatabase> {
    const { folder, secrets, adminUrl, durable, signal } = options;
    if (adminUrl) return new SoloDatabase(adminUrl, secrets);
    const password = secrets.get('postgres');
    const server = await EmbeddedServer.start({
      folder: folder.file('postgres'),
      password,
      durable,
      signal,
    });
    folder.writePrivateJson('postgres.json', { folder: server.folder });
    return new SoloDatabase(server.url(), secrets, server);
  }

  /** URL of the superuser in the services' database. */
  get superuserUrl(): string {
    const url = new URL(this.adminUrl);
    url.pathname = `/${DATABASE}`;
    return url.toString();
  }

  /** URL of a role in the services' database. */
  url(role: string): string {
    const url = new URL(this.superuserUrl);
    [url.username, url.password] = [role, this.secrets.rolePassword(role)];
    return url.toString();
  }

  /** Password of a role, for whoever provisions one more. */
  rolePassword(role: string): string {
    return this.secrets.rolePassword(role);
  }

  /** Stops the server that was started here; it must be the last thing to stop. */
  async stop(): Promise<void> {
    await this.server?.stop();
  }

  /** Makes the services' database with its roles and schemas, and migrates them. */
  async prepare(): Promise<void> {
    await withClient(this.adminUrl, async (client) => {
      const { rowCount } = await client.query('select from pg_database where datname = $1', [
        DATABASE,
      ]);
      if (!rowCount) await client.query(`create database ${DATABASE}`);
    });
    const schemas = schemaServices(SERVICES);
    await provisionRoles(this.adminUrl, schemas, (role) => this.secrets.rolePassword(role));
    await provisionSchemas(this.superuserUrl, schemas);
    for (const { name, migrations } of SERVICES) {
      if (migrations) await migrate(this.url(ownerRole(name)), migrations);
    }
  }
}
