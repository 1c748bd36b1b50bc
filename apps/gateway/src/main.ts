import { EventsConfig } from '#libs/messaging';
import { runService } from '#libs/platform';
import { GatewayConfig } from './gateway.config.js';
import { probePort } from './listener/port-probe.js';
import { openGateway } from './open-gateway.js';

await runService('gateway', [GatewayConfig, EventsConfig], async ({ configs, clock, logger }) => {
  const [config, events] = configs;
  const { host, port, dashboardHost, dashboardPort, internalHost, internalPort } = config;
  if (!config.reusePort) {
    await probePort(host, port, 'GATEWAY_PORT');
    await probePort(dashboardHost, dashboardPort, 'DASHBOARD_PORT');
  }
  await probePort(internalHost, internalPort, 'GATEWAY_INTERNAL_PORT');
  const gateway = await openGateway({ config, events, clock, logger });
  const { url, apiUrl, dashboardUrl } = gateway;
  return { addresses: { url, apiUrl, dashboardUrl }, stop: async () => gateway.stop() };
});
