import { LocalMailbox, SmtpTransport } from '#libs/mail';
import { EventsConfig, openTransport } from '#libs/messaging';
import { runService } from '#libs/platform';
import { AccountConfig } from './account.config.js';
import { startAccount } from './start.js';

await runService('account', [AccountConfig, EventsConfig], async ({ configs, clock, logger }) => {
  const [config, events] = configs;
  // Without a broker nobody hears its events here: they wait in the outbox until there is one.
  const consumers = { account: ['entitlement', 'gateway'] } as const;
  const transport = openTransport({ config: events, logger, consumers });
  const { smtpUrl, mailFrom: from } = config;
  const mail = smtpUrl ? new SmtpTransport({ url: smtpUrl, from }) : new LocalMailbox(clock);
  const { url, stop } = await startAccount({ config, clock, logger, transport, mail });
  return {
    addresses: { url },
    stop: async () => {
      await transport.close();
      await stop();
      await mail.close();
    },
  };
});
