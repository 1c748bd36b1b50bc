import { Database } from '#libs/database';
import type { EventTransport } from '#libs/messaging';
import {
  type Clock,
  Health,
  type Logger,
  MINUTE_MS,
  type RunningService,
  startService,
} from '#libs/platform';
import type { AccountConfig } from './account.config.js';
import { AccountModule } from './account.module.js';
import { Account } from './accounts/account.entity.js';
import { AuditEntry } from './audit/audit-entry.entity.js';
import { ExpireKeysJob } from './key-facts/expire-keys.job.js';
import { ApiKey } from './keys/key.entity.js';
import { Schedule } from './schedule.js';
import { Session } from './sessions/session.entity.js';

const ENTITIES = [Account, AuditEntry, ApiKey, Session];

export interface AccountOptions {
  config: AccountConfig;
  clock: Clock;
  logger: Logger;
  transport: EventTransport;
}

/** Starts the account service: databases, listener, relay, jobs. `stop` closes all in reverse. */
export async function startAccount(options: AccountOptions): Promise<RunningService> {
  const { config, logger, transport } = options;
  const database = await Database.open({
    url: config.databaseUrl,
    applicationName: 'account',
    entities: ENTITIES,
  });
  const maintenanceDatabase = await Database.open({
    url: config.maintenanceDatabaseUrl,
    applicationName: 'account maintenance',
    entities: ENTITIES,
  });
  const module = AccountModule.register({ ...options, database, maintenanceDatabase });
  const service = await startService({ module, logger, port: config.port, host: config.host });
  const health = service.app.get(Health, { strict: false });
  health.add({ name: 'database', check: async () => void (await database.query('select 1')) });
  await transport.startRelay('account', maintenanceDatabase);
  const schedule = new Schedule(logger);
  schedule.every(MINUTE_MS, service.app.get(ExpireKeysJob));
  return {
    ...service,
    stop: async () => {
      await schedule.stop();
      await service.stop();
      await maintenanceDatabase.close();
      await database.close();
    },
  };
}
