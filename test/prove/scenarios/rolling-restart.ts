import { setTimeout as sleep } from 'node:timers/promises';
import { Balancer } from '../../faults/balancer.js';
import { underTraffic } from '../environment/traffic.js';
import type { Harness, Scenario } from '../scenario.js';

/** No lookup may be lost. This runs before all other scenarios, because an overloaded gateway refuses lookups. */
export const rollingRestartRow: Scenario = {
  name: 'rolling restart',
  group: 'alone',
  run: rollingRestart,
};

const BETWEEN_MS = 1_500;

async function rollingRestart(harness: Harness): Promise<void> {
  const { installation } = harness;
  const targets = installation.apiOrigins.map((origin) => origin.replace('localhost', '127.0.0.1'));
  const balancer = await Balancer.start(targets, 1_000);
  const traffic = { lookupsPerSecond: 20, origins: [balancer.origin], isSteady: true };
  try {
    await underTraffic(harness, traffic, async () => {
      for (const { process } of installation.cluster.gateways) {
        await process.stop();
        await process.start();
        harness.count('restarts');
        await sleep(BETWEEN_MS);
      }
    });
  } finally {
    await balancer.stop();
  }
}
