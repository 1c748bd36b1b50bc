import { LocalMailbox, SmtpTransport } from '#libs/mail';
import { InProcessTransport } from '#libs/messaging';
import { Logger, SystemClock, loadConfig } from '#libs/platform';
import { AccountConfig } from './account.config.js';
import { startAccount } from './start.js';

const config = loadConfig(AccountConfig);
const [clock, logger] = [new SystemClock(), new Logger('account')];
// Events stay within this process until there is a broker to hand them to: nobody listens here.
const transport = new InProcessTransport({ logger, consumers: { account: [] } });
const mail = config.smtpUrl
  ? new SmtpTransport({ url: config.smtpUrl, from: config.mailFrom })
  : new LocalMailbox(clock);
const service = await startAccount({ config, clock, logger, transport, mail });
logger.info('account listens', { url: service.url });

async function stop(): Promise<void> {
  await transport.close();
  await service.stop();
  await mail.close();
}

process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
