import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterProcess } from '../../../apps/cluster/src/processes/cluster-process.js';
import type { Scenario, InstallationHarness } from '../scenario.js';
import { underTraffic } from '../environment/traffic.js';

/** The rhythm of a slow broker, which alternately runs and is paused. */
const SLOW = { stillMs: 250, runsMs: 60 };
const FURTHER_CONSUMERS = 3;

const broker = ({ installation }: InstallationHarness) =>
  installation.cluster.broker as ClusterProcess;

export const brokerRows: Scenario[] = [
  {
    name: 'broker down 1 s',
    fault: 'kill -9 of the broker, started again after 1 s',
    expectation: 'payments are accepted meanwhile, and their credits arrive when it is back',
    run: async (harness) => brokerAway(harness, 1_000),
  },
  {
    name: 'broker down',
    fault: 'kill -9 of the broker, started again after 10 s (60 s with --long)',
    expectation: 'payments are accepted meanwhile, and their credits arrive when it is back',
    run: async (harness) => brokerAway(harness, harness.pauseMs),
  },
  {
    name: 'broker silent',
    fault: 'the broker accepts connections but does not answer (SIGSTOP)',
    expectation: 'the same as when it is down: silence is not taken for an answer',
    run: brokerSilent,
  },
  {
    name: 'broker slow',
    fault: 'the broker is paused for four fifths of the time',
    expectation: 'no event is lost or doubled by sends that time out',
    run: brokerSlow,
  },
  {
    name: 'rebalance storm',
    fault: 'entitlement grows from one process to four and back to one under load',
    expectation: 'no event is later than 12 s',
    run: rebalanceStorm,
  },
];

async function brokerAway(harness: InstallationHarness, awayMs: number): Promise<void> {
  await underTraffic(harness, {}, async () => {
    const startedAt = performance.now();
    broker(harness).kill('SIGKILL');
    await sleep(awayMs);
    await broker(harness).start();
    const outageMs = performance.now() - startedAt;
    harness.worst('away ms', outageMs);
    await sleep(2_000);
    return { outageMs };
  });
}

async function brokerSilent(harness: InstallationHarness): Promise<void> {
  await underTraffic(harness, {}, async () => {
    broker(harness).kill('SIGSTOP');
    try {
      await sleep(harness.pauseMs);
    } finally {
      broker(harness).kill('SIGCONT');
    }
    return { outageMs: harness.pauseMs };
  });
}

async function brokerSlow(harness: InstallationHarness): Promise<void> {
  await underTraffic(harness, {}, async () => {
    const until = performance.now() + harness.pauseMs;
    while (performance.now() < until) {
      broker(harness).kill('SIGSTOP');
      await sleep(SLOW.stillMs);
      broker(harness).kill('SIGCONT');
      await sleep(SLOW.runsMs);
    }
    return { outageMs: harness.pauseMs };
  });
}

async function rebalanceStorm(harness: InstallationHarness): Promise<void> {
  const { installation, random } = harness;
  const further = Array.from({ length: FURTHER_CONSUMERS }, (_, n) =>
    installation.further('entitlement', `entitlement-${n + 2}`, { ENTITLEMENT_PORT: '0' }),
  );
  try {
    await underTraffic(harness, { paymentsPerSecond: 5 }, async () => {
      for (const process of further) {
        await process.start();
        await sleep(random.between(200, 1_500));
      }
      for (const process of further) {
        await process.stop();
        await sleep(random.between(200, 1_500));
      }
      harness.count('rebalances', 2 * FURTHER_CONSUMERS);
    });
  } finally {
    for (const process of further) process.kill('SIGKILL');
  }
}
