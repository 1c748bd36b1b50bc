import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterProcess } from '../../../apps/cluster/src/processes/cluster-process.js';
import { underTraffic } from '../environment/traffic.js';
import type { Harness, Scenario } from '../scenario.js';

/** The intervals at which a slow broker alternates between running and being paused. */
const SLOW = { stillMs: 250, runsMs: 60 };
const FURTHER_CONSUMERS = 3;

/** During the outage, payments are accepted; their credits are granted when the broker is back. */
export const brokerRows: Scenario[] = [
  { name: 'broker down 1 s', run: (harness) => away(harness, 1_000) },
  { name: 'broker down', run: (harness) => away(harness, harness.pauseMs) },
  { name: 'broker silent', run: (harness) => paused(harness, harness.pauseMs, 0) },
  { name: 'broker slow', run: (harness) => paused(harness, SLOW.stillMs, SLOW.runsMs) },
  { name: 'rebalance storm', run: rebalanceStorm },
];

async function away(harness: Harness, awayMs: number): Promise<void> {
  const broker = harness.installation.cluster.broker as ClusterProcess;
  await underTraffic(harness, {}, async () => {
    const startedAt = performance.now();
    broker.kill('SIGKILL');
    await sleep(awayMs);
    await broker.start();
    const outageMs = performance.now() - startedAt;
    harness.worst('away ms', outageMs);
    await sleep(2_000);
    return { outageMs };
  });
}

/** The broker accepts connections, but answers only at intervals. */
async function paused(harness: Harness, stillMs: number, runsMs: number): Promise<void> {
  const broker = harness.installation.cluster.broker as ClusterProcess;
  await underTraffic(harness, {}, async () => {
    const until = performance.now() + harness.pauseMs;
    try {
      while (performance.now() < until) {
        broker.kill('SIGSTOP');
        await sleep(stillMs);
        broker.kill('SIGCONT');
        await sleep(runsMs);
      }
    } finally {
      broker.kill('SIGCONT');
    }
    return { outageMs: harness.pauseMs };
  });
}

/** Scales entitlement from one process to four and back to one. */
async function rebalanceStorm(harness: Harness): Promise<void> {
  const { installation, random } = harness;
  const further = Array.from({ length: FURTHER_CONSUMERS }, (_, n) =>
    installation.further('entitlement', `entitlement-${n + 2}`, { ENTITLEMENT_PORT: '0' }),
  );
  try {
    await underTraffic(harness, { paymentsPerSecond: 5 }, async () => {
      for (const act of ['start', 'stop'] as const) {
        for (const process of further) {
          await process[act]();
          await sleep(random.between(200, 1_500));
        }
      }
    });
  } finally {
    for (const process of further) process.kill('SIGKILL');
  }
}
