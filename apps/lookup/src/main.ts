import { loadConfig, Logger, SystemClock } from '#libs/platform';
import { LookupConfig } from './lookup.config.js';
import { startLookup } from './start-lookup.js';

const service = await startLookup({
  config: loadConfig(LookupConfig),
  clock: new SystemClock(),
  logger: new Logger('lookup'),
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void service.stop());
}
