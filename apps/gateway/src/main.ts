import { InProcessTransport } from '#libs/messaging';
import { loadConfig, runService } from '#libs/platform';
import { GatewayConfig } from './gateway.config.js';
import { startGateway } from './start.js';

await runService('gateway', async (surroundings) => {
  const config = loadConfig(GatewayConfig);
  // Without a broker it hears no events: the owners' change feeds name what changed.
  const consumers = { account: ['gateway'] } as const;
  const transport = new InProcessTransport({ logger: surroundings.logger, consumers });
  const gateway = await startGateway({ ...surroundings, config, transport });
  const { url, apiUrl, dashboardUrl, stop } = gateway;
  return {
    addresses: { url, apiUrl, dashboardUrl },
    stop: async () => {
      await stop();
      await transport.close();
    },
  };
});
