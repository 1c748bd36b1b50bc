import { loadConfig, runService } from '#libs/platform';
import { LookupConfig } from './lookup.config.js';
import { startLookup } from './start.js';

await runService('lookup', async (surroundings) => {
  const { url, stop } = await startLookup({ ...surroundings, config: loadConfig(LookupConfig) });
  return { addresses: { url }, stop };
});
