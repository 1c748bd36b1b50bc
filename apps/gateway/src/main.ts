import { EventsConfig, openTransport } from '#libs/messaging';
import { loadConfigs, runService } from '#libs/platform';
import { GatewayConfig } from './gateway.config.js';
import { startGateway } from './start.js';

await runService('gateway', async ({ clock, logger }) => {
  const [config, events] = loadConfigs(GatewayConfig, EventsConfig);
  // Without a broker it hears no events: the owners' change feeds name what changed.
  const transport = openTransport({ config: events, logger, consumers: { account: ['gateway'] } });
  const gateway = await startGateway({ config, clock, logger, transport });
  const { url, apiUrl, dashboardUrl, stop } = gateway;
  return {
    addresses: { url, apiUrl, dashboardUrl },
    stop: async () => {
      await stop();
      await transport.close();
    },
  };
});
