import { setTimeout as sleep } from 'node:timers/promises';
import { fillDisk, freeDisk, fullDiskMissing } from '../../faults/full-disk.js';
import { childrenOf, ownProcess } from '../../faults/processes.js';
import { holds } from '../environment/broken.js';
import { type InstallationScenario, type InstallationHarness } from '../scenario.js';
import { eventually } from '../environment/patience.js';
import { killAndRestart, startPostgresAgain } from '../environment/restart.js';
import { underTraffic } from '../environment/traffic.js';

/** The log line of a gateway whose journal cannot be written. */
const JOURNAL_LOST = 'the lease journal cannot be written';

export const fullDiskRows: InstallationScenario[] = [
  {
    name: 'full disk of gateway-1',
    fault: 'gateway-1 cannot write files (RLIMIT_FSIZE); it is killed, and there is room again',
    expectation:
      'lookups continue, and each answer is settled at once, so that the kill loses nothing',
    missing: fullDiskMissing,
    run: gatewayDisk,
  },
  {
    name: 'full disk of postgres',
    fault: 'no process of PostgreSQL can write a file, including the WAL (RLIMIT_FSIZE)',
    expectation: 'acknowledged data exists when there is room again',
    missing: fullDiskMissing,
    run: postgresDisk,
  },
];

async function gatewayDisk(harness: InstallationHarness): Promise<void> {
  const gateway = harness.installation.process('gateway-1');
  const said = gateway.output.length;
  await underTraffic(harness, {}, async () => {
    await fillDisk(ownProcess(gateway.pid));
    await eventually('the journal to be given up', async () =>
      gateway.output.slice(said).includes(JOURNAL_LOST),
    );
    await sleep(harness.pauseMs / 2);
    holds(gateway.isRunning, `the gateway ended on a full disk: ${gateway.endedBy}`);
    const killedAt = await killAndRestart(gateway, harness);
    return { gatewayKillsAt: [killedAt], outageMs: 1_000 };
  });
}

/** A commit that cannot be written ends every session, and recovery fails until there is room. */
async function postgresDisk(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
  const { postgres } = installation.cluster;
  await underTraffic(harness, {}, async () => {
    const startedAt = performance.now();
    const postmaster = ownProcess(postgres.pid);
    const all = () => [postmaster, ...childrenOf(postmaster.pid)];
    // The postmaster comes first, because the processes that it starts inherit the limit.
    for (const process of all()) await fillDisk(process);
    try {
      const probe = await installation.sql('create table full_disk ()').catch(() => undefined);
      holds(probe === undefined, 'a table was written although the disk was full');
      await sleep(harness.pauseMs);
    } finally {
      for (const process of all()) await freeDisk(process);
    }
    const outageMs = await startPostgresAgain(harness, startedAt);
    await sleep(3_000);
    return { outageMs };
  });
}
