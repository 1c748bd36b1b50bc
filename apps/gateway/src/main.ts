import { EventsConfig } from '#libs/messaging';
import { runService } from '#libs/platform';
import { GatewayConfig } from './gateway.config.js';
import { openGateway } from './open-gateway.js';
import { adoptStrayJournals } from './threads/stray-journals.js';
import { probePort } from './threads/port-probe.js';
import { ThreadPool } from './threads/thread-pool.js';

await runService('gateway', [GatewayConfig, EventsConfig], async ({ configs, clock, logger }) => {
  const [config, events] = configs;
  const { host, port, dashboardHost, dashboardPort, internalHost, internalPort } = config;
  await probePort(host, port, 'GATEWAY_PORT');
  await probePort(dashboardHost, dashboardPort, 'DASHBOARD_PORT');
  await probePort(internalHost, internalPort, 'GATEWAY_INTERNAL_PORT');
  adoptStrayJournals(config);
  if (config.threads === 1) {
    const gateway = await openGateway({ config, events, clock, logger });
    const { url, apiUrl, dashboardUrl } = gateway;
    return { addresses: { url, apiUrl, dashboardUrl }, stop: async () => gateway.stop() };
  }
  const onDeath = (error: Error) => {
    logger.error('a thread has died: the process drains and ends', error);
    process.kill(process.pid, 'SIGTERM');
  };
  const threads = new ThreadPool({ config, events, clock, logger, onDeath });
  await threads.start();
  return { addresses: threads.addresses, stop: async () => threads.stop() };
});
