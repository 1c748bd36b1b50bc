import { EventsConfig, openTransport } from '#libs/messaging';
import { runService } from '#libs/platform';
import { EntitlementConfig } from './entitlement.config.js';
import { startEntitlement } from './start.js';

await runService(
  'entitlement',
  [EntitlementConfig, EventsConfig],
  async ({ configs, clock, logger }) => {
    const [config, events] = configs;
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
  },
);
