import { InProcessTransport } from '#libs/messaging';
import { Logger, SystemClock, loadConfig } from '#libs/platform';
import { EntitlementConfig } from './entitlement.config.js';
import { startEntitlement } from './start.js';

const config = loadConfig(EntitlementConfig);
const [clock, logger] = [new SystemClock(), new Logger('entitlement')];
// Alone in its process it hears no events and nobody hears its own, until there is a broker.
const transport = new InProcessTransport({
  logger,
  consumers: { account: ['entitlement'], billing: ['entitlement'], entitlement: [] },
});
const service = await startEntitlement({ config, clock, logger, transport });
logger.info('entitlement listens', { url: service.url });

async function stop(): Promise<void> {
  await transport.close();
  await service.stop();
}

process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
