import { EventsConfig, openTransport } from '#libs/messaging';
import { loadConfigs, runService } from '#libs/platform';
import { EntitlementConfig } from './entitlement.config.js';
import { startEntitlement } from './start.js';

await runService('entitlement', async ({ clock, logger }) => {
  const [config, events] = loadConfigs(EntitlementConfig, EventsConfig);
  const consumers = { account: ['entitlement'], billing: ['entitlement'] } as const;
  const transport = openTransport({ config: events, logger, consumers });
  const { url, stop } = await startEntitlement({ config, clock, logger, transport });
  return {
    addresses: { url },
    stop: async () => {
      await transport.close();
      await stop();
    },
  };
});
