import { urlSettingOf } from '#libs/platform';
import { type Service, started } from '#libs/services';
import { JOBS } from './gateway-lifecycle.js';
import { GatewayConfig } from './gateway.config.js';
import { CONTROLLERS } from './gateway.module.js';
import { migrations } from './migrations/index.js';
import { startGateway } from './start.js';

/** The door of API consumers. */
export const gateway: Service<GatewayConfig> = {
  name: 'gateway',
  config: GatewayConfig,
  listeners: [{ port: 'GATEWAY_INTERNAL_PORT' }, { port: 'API_PORT', isPublic: true }],
  urlSetting: urlSettingOf('gateway'),
  // Beside the pool: maintenance, auditor, request log.
  connections: ['DATABASE_POOL_SIZE', 2, 1, 1],
  migrations,
  controllers: CONTROLLERS,
  jobs: JOBS,
  start: async (given) => {
    const gateway = await startGateway(given);
    const { url, apiUrl } = gateway;
    return { ...started(gateway), addresses: { url, apiUrl } };
  },
};
