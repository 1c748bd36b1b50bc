import { InProcessTransport } from '#libs/messaging';
import { Logger, SystemClock, loadConfig } from '#libs/platform';
import { GatewayConfig } from './gateway.config.js';
import { startGateway } from './start.js';

const logger = new Logger('gateway');
const clock = new SystemClock();
const config = loadConfig(GatewayConfig);
// Alone in its process, the gateway hears no events: the change feeds name what changed.
const transport = new InProcessTransport({ logger, consumers: { account: ['gateway'] } });
const gateway = await startGateway({ config, clock, logger, transport });
logger.info('the API is up', { url: gateway.apiUrl, internal: gateway.url });

const stop = () => {
  void gateway.stop().then(async () => transport.close());
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
