import { rmSync } from 'node:fs';
import { currentRun } from './run.js';

export default async function teardown(): Promise<void> {
  const run = currentRun();
<<<<<<< HEAD
  await run?.valkey?.stop();
  await run?.server.stop();
=======
  await Promise.all([run?.server?.stop(), run?.broker?.stop()]);
>>>>>>> kafka
  if (run) rmSync(run.folder, { recursive: true, force: true });
}
