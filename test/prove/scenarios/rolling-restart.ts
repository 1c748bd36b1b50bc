import { setTimeout as sleep } from 'node:timers/promises';
import { Balancer } from '../../faults/balancer.js';
import { holds } from '../environment/broken.js';
import { type InstallationScenario, type InstallationHarness } from '../scenario.js';
import { sum } from '../environment/load.js';
import { underTraffic } from '../environment/traffic.js';

export const rollingRestartRow: InstallationScenario = {
  name: 'rolling restart',
  fault: 'SIGTERM of each of two gateways in turn behind a balancer, under load',
  expectation: 'no request fails',
  isAlone: true,
  run: rollingRestart,
};

const LOOKUPS_PER_SECOND = 20;

async function rollingRestart(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
  const targets = installation.apiOrigins.map((origin) => origin.replace('localhost', '127.0.0.1'));
  const balancer = await Balancer.start({ targets, healthPath: '/health' });
  try {
    const traffic = { lookupsPerSecond: LOOKUPS_PER_SECOND, origins: [balancer.origin] };
    const counts = await underTraffic(harness, traffic, async () => {
      for (const { process } of installation.cluster.gateways) {
        await process.stop();
        await process.start();
        harness.count('restarts');
        await sleep(1_500);
      }
    });
    holds(sum(counts.lost) === 0, `requests broke off: ${JSON.stringify(counts.lost)}`);
    holds(sum(counts.refused) === 0, `requests were refused: ${JSON.stringify(counts.refused)}`);
  } finally {
    await balancer.stop();
  }
}
