import { InProcessTransport } from '#libs/messaging';
import { loadConfig, runService } from '#libs/platform';
import { EntitlementConfig } from './entitlement.config.js';
import { startEntitlement } from './start.js';

await runService('entitlement', async (surroundings) => {
  const consumers = { account: ['entitlement'], billing: ['entitlement'] } as const;
  const transport = new InProcessTransport({ logger: surroundings.logger, consumers });
  const config = loadConfig(EntitlementConfig);
  const { url, stop } = await startEntitlement({ ...surroundings, config, transport });
  return {
    addresses: { url },
    stop: async () => {
      await transport.close();
      await stop();
    },
  };
});
