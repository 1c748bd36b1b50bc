import { setTimeout as sleep } from 'node:timers/promises';
import { underTraffic } from '../environment/traffic.js';
import type { Harness, Scenario } from '../scenario.js';

const STRIKES = 5;
const COMMIT = 'COMMIT';
const FURTHER_CONSUMERS = 3;

/** Brief faults, after which no acknowledged data is missing and repeated work has counted only once. */
export const strikeRows: Scenario[] = [
  { name: 'postgres cut in transaction', run: (harness) => strikeCommits(harness, 'resetBefore') },
  { name: 'postgres commit answer lost', run: (harness) => strikeCommits(harness, 'loseAnswerTo') },
  { name: 'rebalance storm', run: rebalanceStorm },
];

/** Injects the fault repeatedly, in turn into the database connections of the services account and entitlement. */
async function strikeCommits(
  harness: Harness,
  fault: 'resetBefore' | 'loseAnswerTo',
): Promise<void> {
  const { installation, count } = harness;
  await underTraffic(harness, {}, async () => {
    for (let n = 0; n < STRIKES; n++) {
      // Sign-ups commit in the account service, and settlements commit all the time.
      const struck = installation.cables['account-database'][fault](COMMIT);
      await Promise.all([struck, installation.newCustomer().join()]);
      await installation.cables['entitlement-database'][fault](COMMIT);
      count('strikes', 2);
    }
    return { outageMs: 5_000 };
  });
}

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
