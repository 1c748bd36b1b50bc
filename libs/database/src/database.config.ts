import { IsInt, Max, Min } from 'class-validator';
import { InternalCallsConfig, Setting } from '#libs/platform';
import { POOL_SIZE } from './database.js';

export class DatabaseConfig extends InternalCallsConfig {
  @Setting({
    env: 'DATABASE_POOL_SIZE',
    about:
      'Maximum number of PostgreSQL connections for the requests and events of one process; further work waits. The total over all processes must fit `max_connections` of the server.',
  })
  @IsInt()
  @Min(2)
  @Max(200)
  poolSize: number = POOL_SIZE;

  @Setting({
    env: 'DATABASE_MAINTENANCE_POOL_SIZE',
    about: 'Maximum number of PostgreSQL connections for the relays and jobs of one process.',
  })
  @IsInt()
  @Min(2)
  @Max(200)
  maintenancePoolSize: number = POOL_SIZE;
}
