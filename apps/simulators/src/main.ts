import { loadConfig, runService } from '#libs/platform';
import { SimulatorsConfig } from './simulators.config.js';
import { startSimulators } from './start.js';

await runService('simulators', async () => {
  const { stop, ...addresses } = await startSimulators(loadConfig(SimulatorsConfig));
  return { addresses, stop };
});
