import { urlSettingOf } from '#libs/platform';
import { type Service, started } from '#libs/services';
import { EntitlementConfig } from './entitlement.config.js';
import { migrations } from './migrations/index.js';

export const entitlement: Service<EntitlementConfig> = {
  name: 'entitlement',
  config: EntitlementConfig,
  listeners: [{ port: 'ENTITLEMENT_PORT' }],
  urlSetting: urlSettingOf('entitlement'),
  connections: ['DATABASE_POOL_SIZE', 'DATABASE_MAINTENANCE_POOL_SIZE', 1],
  migrations,
  invariants: async () => (await import('./auditor/invariants.js')).ENTITLEMENT_INVARIANTS,
  load: async () => {
    const { CONTROLLERS: controllers } = await import('./entitlement.module.js');
    const { JOBS: jobs, startEntitlement } = await import('./start.js');
    return { controllers, jobs, start: async (given) => started(await startEntitlement(given)) };
  },
};
