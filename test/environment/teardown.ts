import { rmSync } from 'node:fs';
import { currentRun } from './run.js';

export default async function teardown(): Promise<void> {
  const run = currentRun();
  await run?.valkey?.stop();
  await run?.server.stop();
  if (run) rmSync(run.folder, { recursive: true, force: true });
}
