import { setTimeout as sleep } from 'node:timers/promises';
import { fillDisk, freeDisk, fullDiskMissing } from '../../faults/full-disk.js';
import { holds } from '../environment/broken.js';
import { underTraffic } from '../environment/traffic.js';
import { startPostgresAgain } from '../environment/victim.js';
import type { Harness, Scenario } from '../scenario.js';

export const fullDiskRow: Scenario = {
  name: 'full disk of postgres',
  missing: fullDiskMissing,
  run: fullDisk,
};

/** A commit that cannot be written ends every session, and recovery fails until there is free space. */
async function fullDisk(harness: Harness): Promise<void> {
  const { installation } = harness;
  const { postgres } = installation.cluster;
  await underTraffic(harness, {}, async () => {
    const startedAt = performance.now();
    await fillDisk(postgres.pid);
    try {
      const probe = await installation.sql('create table full_disk ()').catch(() => undefined);
      holds(probe === undefined, 'a table was written although the disk was full');
      await sleep(harness.pauseMs);
    } finally {
      await freeDisk(postgres.pid);
    }
    const outageMs = await startPostgresAgain(harness, startedAt);
    await sleep(3_000);
    return { outageMs };
  });
}
