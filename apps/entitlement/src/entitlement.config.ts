import { IsInt, IsString, Max, Min, MinLength } from 'class-validator';
import { ServiceSecretConfig, Setting } from '#libs/platform';

/** Settings of the entitlement service. */
export class EntitlementConfig extends ServiceSecretConfig {
  @Setting({ env: 'ENTITLEMENT_HOST', about: 'Address the internal listener binds to.' })
  @IsString()
  host: string = '127.0.0.1';

  @Setting({
    env: 'ENTITLEMENT_PORT',
    about: 'Port of the internal listener; 0 takes a free one.',
  })
  @IsInt()
  @Min(0)
  @Max(65_535)
  port: number = 0;

  @Setting({
    env: 'ENTITLEMENT_DATABASE_URL',
    about: 'PostgreSQL as the role "entitlement".',
    secret: true,
  })
  @IsString()
  @MinLength(1)
  databaseUrl: string;

  @Setting({
    env: 'ENTITLEMENT_MAINTENANCE_DATABASE_URL',
    about: 'PostgreSQL as the role "entitlement_maintenance".',
    secret: true,
  })
  @IsString()
  @MinLength(1)
  maintenanceDatabaseUrl: string;

  @Setting({
    env: 'ENTITLEMENT_AUDITOR_DATABASE_URL',
    about:
      'PostgreSQL as the role "entitlement_auditor", which reads everything and writes nothing.',
    secret: true,
  })
  @IsString()
  @MinLength(1)
  auditorDatabaseUrl: string;
}
