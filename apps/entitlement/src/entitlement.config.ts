import { IsString } from 'class-validator';
import { DatabaseConfig, DatabaseUrl } from '#libs/database';
import { PortSetting, Setting } from '#libs/platform';

export class EntitlementConfig extends DatabaseConfig {
  @Setting({ env: 'ENTITLEMENT_HOST', about: 'Address of the internal listener.' })
  @IsString()
  host: string = '127.0.0.1';

  @PortSetting({
    env: 'ENTITLEMENT_PORT',
    about: 'Port of the internal listener; 0 selects a free port.',
  })
  port: number = 0;

  @DatabaseUrl('ENTITLEMENT_DATABASE_URL', 'entitlement')
  databaseUrl: string;

  @DatabaseUrl('ENTITLEMENT_MAINTENANCE_DATABASE_URL', 'entitlement_maintenance')
  maintenanceDatabaseUrl: string;

  @DatabaseUrl(
    'ENTITLEMENT_AUDITOR_DATABASE_URL',
    'entitlement_auditor',
    'which can read everything and write nothing',
  )
  auditorDatabaseUrl: string;
}
