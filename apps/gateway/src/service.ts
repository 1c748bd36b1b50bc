import { urlSettingOf } from '#libs/platform';
import { type Service, started } from '#libs/services';
import { GatewayConfig } from './gateway.config.js';
import { migrations } from './migrations/index.js';

export const gateway: Service<GatewayConfig> = {
  name: 'gateway',
  config: GatewayConfig,
  listeners: [{ port: 'GATEWAY_INTERNAL_PORT' }, { port: 'API_PORT', isPublic: true }],
  urlSetting: urlSettingOf('gateway'),
  // In addition to the pool: two connections for maintenance, one for the auditor, one for the request log.
  connections: ['DATABASE_POOL_SIZE', 2, 1, 1],
  migrations,
  invariants: async () => (await import('./auditor/invariants.js')).GATEWAY_INVARIANTS,
  load: async () => {
    const { CONTROLLERS: controllers } = await import('./gateway.module.js');
    const { JOBS: jobs } = await import('./gateway-lifecycle.js');
    const { startGateway } = await import('./start.js');
    return {
      controllers,
      jobs,
      start: async (given) => {
        const gateway = await startGateway(given);
        const { url, apiUrl } = gateway;
        return { ...started(gateway), addresses: { url, apiUrl } };
      },
    };
  },
};
