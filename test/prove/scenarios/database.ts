import { setTimeout as sleep } from 'node:timers/promises';
import { underTraffic } from '../environment/traffic.js';
import { startPostgresAgain } from '../environment/victim.js';
import type { Harness, Scenario } from '../scenario.js';

const STRIKES = 5;
const COMMIT = 'COMMIT';

/** Every service recovers automatically, acknowledged data exists, and repeated work counts once. */
export const databaseRows: Scenario[] = [
  { name: 'postgres immediate stop', run: (harness) => away(harness, 'SIGQUIT', 2_000) },
  { name: 'postgres kill postmaster', run: (harness) => away(harness, 'SIGKILL', 1_000) },
  { name: 'postgres away', run: (harness) => away(harness, 'SIGINT', harness.pauseMs) },
  { name: 'postgres cut in transaction', run: (harness) => strikeCommits(harness, 'resetBefore') },
  { name: 'postgres commit answer lost', run: (harness) => strikeCommits(harness, 'loseAnswerTo') },
];

async function away(harness: Harness, how: NodeJS.Signals, awayMs: number): Promise<void> {
  await underTraffic(harness, {}, async () => {
    const startedAt = performance.now();
    harness.installation.cluster.postgres.kill(how);
    await sleep(awayMs);
    const outageMs = await startPostgresAgain(harness, startedAt);
    await sleep(3_000);
    return { outageMs };
  });
}

/** Injects the faults one after another, so that each affects a different connection. */
async function strikeCommits(
  harness: Harness,
  fault: 'resetBefore' | 'loseAnswerTo',
): Promise<void> {
  const { installation, count } = harness;
  await underTraffic(harness, {}, async () => {
    for (let n = 0; n < STRIKES; n++) {
      // Sign-ups commit in account, and settlements commit all the time.
      const struck = installation.cables['account-database'][fault](COMMIT);
      await Promise.all([struck, installation.newCustomer().join()]);
      await installation.cables['entitlement-database'][fault](COMMIT);
      count('strikes', 2);
    }
    return { outageMs: 5_000 };
  });
}
