import { setTimeout as sleep } from 'node:timers/promises';
import type { InstallationRow, Stage } from '../row.js';
import type { Cable } from '../world/installation.js';
import { underTraffic } from '../world/traffic.js';

export const partitionRows: InstallationRow[] = [
  partitionRow('gateway-database', 'lookups go on; the log is kept in memory as far as it goes'),
  partitionRow('gateway-account', 'known keys work for 60 s, then 503'),
  partitionRow(
    'gateway-entitlement',
    'leases carry on, then 503; never free use, never a false 402',
  ),
  {
    name: 'cut gateway-broker',
    fault: 'no byte passes between the gateways and the broker',
    expectation: 'change feeds tell the gateways within 5 s',
    missing: () =>
      'clients go to the address that the broker names, past a proxy; it needs a network namespace',
    run: async () => {},
  },
];

function partitionRow(cable: Cable, expectation: string): InstallationRow {
  return {
    name: `cut ${cable}`,
    fault: `no byte passes between ${cable.replace('-', ' and ')} (held, then reset)`,
    expectation,
    isWaiting: true,
    run: async (stage) => partition(stage, cable),
  };
}

async function partition(stage: Stage, name: Cable): Promise<void> {
  const cable = stage.installation.cables[name];
  // Both are less than 60 s away; from entitlement alone the leases may run out.
  const isSteady = name !== 'gateway-entitlement' && !stage.isLong;
  await underTraffic(stage, { isSteady }, async () => {
    cable.stall();
    await sleep(stage.pauseMs);
    cable.reset();
    await cable.heal();
    await sleep(2_000);
    return { outageMs: stage.pauseMs };
  });
}
