import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterProcess } from '../../../apps/cluster/src/processes/cluster-process.js';
import type { Row, Stage } from '../row.js';
import { underTraffic } from '../world/traffic.js';

/** Of a slow broker: it stands still and runs in turn. */
const SLOW = { stillMs: 250, runsMs: 60 };
const FURTHER_CONSUMERS = 3;

const broker = ({ installation }: Stage) => installation.cluster.broker as ClusterProcess;

export const brokerRows: Row[] = [
  {
    name: 'broker down 1 s',
    fault: 'kill -9 of the broker, started again after 1 s',
    expectation: 'payments are taken meanwhile; their credits come when it is back',
    run: async (stage) => brokerAway(stage, 1_000),
  },
  {
    name: 'broker down',
    fault: 'kill -9 of the broker, started again after 10 s (60 s with --long)',
    expectation: 'payments are taken meanwhile; their credits come when it is back',
    run: async (stage) => brokerAway(stage, stage.pauseMs),
  },
  {
    name: 'broker silent',
    fault: 'the broker accepts connections and says nothing (SIGSTOP)',
    expectation: 'as when it is down; nobody takes silence for an answer',
    run: brokerSilent,
  },
  {
    name: 'broker slow',
    fault: 'the broker stands still four fifths of the time',
    expectation: 'no event is lost or doubled by sends that time out',
    run: brokerSlow,
  },
  {
    name: 'rebalance storm',
    fault: 'entitlement grows from one process to four and back to one under load',
    expectation: 'no event later than 12 s',
    run: rebalanceStorm,
  },
];

async function brokerAway(stage: Stage, awayMs: number): Promise<void> {
  await underTraffic(stage, {}, async () => {
    const startedAt = performance.now();
    broker(stage).kill('SIGKILL');
    await sleep(awayMs);
    await broker(stage).start();
    const outageMs = performance.now() - startedAt;
    stage.worst('away ms', outageMs);
    await sleep(2_000);
    return { outageMs };
  });
}

async function brokerSilent(stage: Stage): Promise<void> {
  await underTraffic(stage, {}, async () => {
    broker(stage).kill('SIGSTOP');
    try {
      await sleep(stage.pauseMs);
    } finally {
      broker(stage).kill('SIGCONT');
    }
    return { outageMs: stage.pauseMs };
  });
}

async function brokerSlow(stage: Stage): Promise<void> {
  await underTraffic(stage, {}, async () => {
    const until = performance.now() + stage.pauseMs;
    while (performance.now() < until) {
      broker(stage).kill('SIGSTOP');
      await sleep(SLOW.stillMs);
      broker(stage).kill('SIGCONT');
      await sleep(SLOW.runsMs);
    }
    return { outageMs: stage.pauseMs };
  });
}

async function rebalanceStorm(stage: Stage): Promise<void> {
  const { installation, random } = stage;
  const further = Array.from({ length: FURTHER_CONSUMERS }, (_, n) =>
    installation.further('entitlement', `entitlement-${n + 2}`, { ENTITLEMENT_PORT: '0' }),
  );
  try {
    await underTraffic(stage, { paymentsPerSecond: 5 }, async () => {
      for (const process of further) {
        await process.start();
        await sleep(random.between(200, 1_500));
      }
      for (const process of further) {
        await process.stop();
        await sleep(random.between(200, 1_500));
      }
      stage.count('rebalances', 2 * FURTHER_CONSUMERS);
    });
  } finally {
    for (const process of further) process.kill('SIGKILL');
  }
}
