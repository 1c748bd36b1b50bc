import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from '@jest/globals';
import { freePorts } from '#libs/platform';
import { nameServerAvailability, waitFor } from '#test/environment';
import { startNsd } from './nsd.js';

const here = nameServerAvailability() === undefined ? it : it.skip;

here('a server that crashes is started again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dds-nsd-'));
  const [port] = await freePorts(1);
  const nsd = await startNsd({ folder, endpoint: { address: '127.0.0.1', port }, zoneFiles: {} });
  try {
    const { pid } = nsd;
    process.kill(pid, 'SIGSEGV');
    await waitFor('another process', () => nsd.pid !== pid);
  } finally {
    await nsd.stop();
    rmSync(folder, { recursive: true });
  }
});
