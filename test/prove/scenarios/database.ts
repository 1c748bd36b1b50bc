import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, signal, titleOf } from '../../faults/processes.js';
import { holds } from '../environment/broken.js';
import { type Scenario, type InstallationHarness } from '../scenario.js';
import { eventually } from '../environment/patience.js';
import { startPostgresAgain } from '../environment/restart.js';
import { underTraffic } from '../environment/traffic.js';

const STRIKES = 5;
const COMMIT = 'COMMIT';

export const databaseRows: Scenario[] = [
  {
    name: 'postgres immediate stop',
    fault: 'SIGQUIT of PostgreSQL under load, started again after 2 s',
    expectation: 'every service recovers by itself',
    run: async (harness) => serverAway(harness, 'SIGQUIT', 2_000),
  },
  {
    name: 'postgres kill postmaster',
    fault: 'kill -9 of the postmaster, started again after 1 s',
    expectation: 'acknowledged data exists after recovery',
    run: async (harness) => serverAway(harness, 'SIGKILL', 1_000),
  },
  {
    name: 'postgres away',
    fault: 'PostgreSQL stopped for 10 s (60 s with --long)',
    expectation: 'lookups continue from leases and facts, then get 503; nothing is done twice',
    run: async (harness) => serverAway(harness, 'SIGINT', harness.pauseMs),
  },
  {
    name: 'postgres kill session',
    fault: 'kill -9 of a session of entitlement: the server ends every session and recovers',
    expectation: 'every service recovers by itself',
    run: killSession,
  },
  {
    name: 'postgres cut in transaction',
    fault: 'connections of account and entitlement reset right before their COMMIT arrives',
    expectation: 'those transactions leave nothing behind and are repeated',
    run: async (harness) => strikeCommits(harness, 'before'),
  },
  {
    name: 'postgres commit answer lost',
    fault: 'COMMIT arrives, but its answer is lost and the connection is reset',
    expectation: 'repeated work counts once',
    run: async (harness) => strikeCommits(harness, 'after'),
  },
];

async function serverAway(
  harness: InstallationHarness,
  how: NodeJS.Signals,
  awayMs: number,
): Promise<void> {
  const { postgres } = harness.installation.cluster;
  await underTraffic(harness, {}, async () => {
    const startedAt = performance.now();
    postgres.kill(how);
    await sleep(awayMs);
    const outageMs = await startPostgresAgain(harness, startedAt);
    await sleep(3_000);
    return { outageMs };
  });
}

async function killSession(harness: InstallationHarness): Promise<void> {
  const { cluster } = harness.installation;
  await underTraffic(harness, {}, async () => {
    const session = await eventually('a session of entitlement', async () =>
      childrenOf(cluster.postgres.pid).find(({ pid }) => titleOf(pid).includes(': entitlement ')),
    );
    holds(signal(session, 'SIGKILL'), 'the session was gone before it was killed');
    await sleep(3_000);
    return { outageMs: 3_000 };
  });
}

/** Injects the faults one after another, so that each hits a different connection. */
async function strikeCommits(
  harness: InstallationHarness,
  when: 'before' | 'after',
): Promise<void> {
  const { cables } = harness.installation;
  await underTraffic(harness, {}, async () => {
    for (let n = 0; n < STRIKES; n++) {
      for (const cable of [cables['account-database'], cables['entitlement-database']]) {
        const struck = when === 'before' ? cable.resetBefore(COMMIT) : cable.loseAnswerTo(COMMIT);
        // Sign-ups commit at account; settlements commit all the time.
        const customer = cable === cables['account-database'] && harness.installation.newCustomer();
        await Promise.all([struck, customer && customer.join()]);
        harness.count('strikes');
      }
    }
    return { outageMs: 5_000 };
  });
}
