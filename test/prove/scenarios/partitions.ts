import { setTimeout as sleep } from 'node:timers/promises';
import type { Cable } from '../environment/installation.js';
import { underTraffic } from '../environment/traffic.js';
import type { Scenario } from '../scenario.js';

const CUTS: Cable[] = [
  'gateway-database',
  'gateway-account',
  'gateway-entitlement',
  'gateway-broker',
];

/** Each of these scenarios cuts a connection: its bytes are held, and then it is reset. */
export const partitionRows: Scenario[] = CUTS.map((cable) => ({
  name: `cut ${cable}`,
  run: async (harness) => {
    const { installation, isLong, pauseMs } = harness;
    const cut = installation.cables[cable];
    // Account and entitlement are each cut off for less than 60 s. While entitlement is cut off, leases may run out.
    const isSteady = cable !== 'gateway-entitlement' && !isLong;
    await underTraffic(harness, { isSteady }, async () => {
      cut.stall();
      await sleep(pauseMs);
      cut.reset();
      await cut.heal();
      await sleep(2_000);
      return { outageMs: pauseMs };
    });
  },
}));
