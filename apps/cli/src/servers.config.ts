import { IsOptional } from 'class-validator';
import { IsDatabaseUrl } from '#libs/database';
import { type ConfigClass, type ServiceName, Setting } from '#libs/platform';
import { databaseSetting } from '#libs/services';
import { CliConfig } from './cli.config.js';

/** The settings of commands, and the URL of the databases' administrator, which only some commands need. */
export class ServersConfig extends CliConfig {
  @Setting({
    env: 'DATABASE_ADMIN_URL',
    about:
      'URL of the superuser of the PostgreSQL server, or of the owner of the database with CREATEROLE. Its path is the database of the services.',
    secret: true,
  })
  @IsOptional()
  @IsDatabaseUrl()
  databaseAdminUrl?: string;
}

/** Returns a config class with a database URL for each service, for the service's own role. Each URL is optional. */
export function databasesConfig(
  services: readonly ServiceName[],
): ConfigClass<Partial<Record<ServiceName, string>>> {
  class Databases {}
  for (const name of services) {
    const about = `PostgreSQL as the role "${name}".`;
    const setting = Setting({ env: databaseSetting(name), about, secret: true });
    for (const decorate of [setting, IsOptional(), IsDatabaseUrl()])
      decorate(Databases.prototype, name);
  }
  return Databases;
}
