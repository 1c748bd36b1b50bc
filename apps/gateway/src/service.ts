import { type Service, started } from '#libs/services';
import { JOBS } from './gateway-lifecycle.js';
import { GatewayConfig } from './gateway.config.js';
import { CONTROLLERS } from './gateway.module.js';
import { migrations } from './migrations/index.js';
import { startGateway } from './start.js';

/** The only public door: the API and the dashboard. */
export const gateway: Service<GatewayConfig> = {
  name: 'gateway',
  config: GatewayConfig,
  listeners: [
    { port: 'GATEWAY_INTERNAL_PORT' },
    { port: 'API_PORT', isPublic: true },
    { port: 'DASHBOARD_PORT', isPublic: true },
  ],
  migrations,
  controllers: CONTROLLERS,
  jobs: JOBS,
  start: async (given) => {
    const gateway = await startGateway(given);
    const { url, apiUrl, dashboardUrl } = gateway;
    return { ...started(gateway), addresses: { url, apiUrl, dashboardUrl } };
  },
};
