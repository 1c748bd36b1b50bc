import { urlSettingOf } from '#libs/platform';
import { type Service, started } from '#libs/services';
import { EntitlementConfig } from './entitlement.config.js';
import { CONTROLLERS } from './entitlement.module.js';
import { migrations } from './migrations/index.js';
import { JOBS, startEntitlement } from './start.js';

/** The rights of an account, and its credits. */
export const entitlement: Service<EntitlementConfig> = {
  name: 'entitlement',
  config: EntitlementConfig,
  listeners: [{ port: 'ENTITLEMENT_PORT' }],
  urlSetting: urlSettingOf('entitlement'),
  connections: ['DATABASE_POOL_SIZE', 'DATABASE_MAINTENANCE_POOL_SIZE', 1],
  migrations,
  controllers: CONTROLLERS,
  jobs: JOBS,
  start: async (given) => started(await startEntitlement(given)),
};
