import { runService } from '#libs/platform';
import { SimulatorsConfig } from './simulators.config.js';
import { startSimulators } from './start.js';

await runService('simulators', [SimulatorsConfig], async ({ configs: [config] }) => {
  const { stop, ...addresses } = await startSimulators(config);
  return { addresses, stop };
});
