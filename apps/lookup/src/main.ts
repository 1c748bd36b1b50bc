import { runService } from '#libs/platform';
import { LookupConfig } from './lookup.config.js';
import { startLookup } from './start.js';

await runService('lookup', [LookupConfig], async ({ configs: [config], clock, logger }) => {
  const { url, stop } = await startLookup({ config, clock, logger });
  return { addresses: { url }, stop };
});
