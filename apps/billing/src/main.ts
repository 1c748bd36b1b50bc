import { EventsConfig, openTransport } from '#libs/messaging';
import { runService } from '#libs/platform';
import { BillingConfig } from './billing.config.js';
import { startBilling } from './start.js';

await runService('billing', [BillingConfig, EventsConfig], async ({ configs, clock, logger }) => {
  const [config, events] = configs;
  // Without a broker nobody hears its events here: they wait in the outbox until there is one.
  const consumers = { billing: ['entitlement'] } as const;
  const transport = openTransport({ config: events, logger, consumers });
  const { url, stop } = await startBilling({ config, clock, logger, transport });
  return {
    addresses: { url },
    stop: async () => {
      await transport.close();
      await stop();
    },
  };
});
