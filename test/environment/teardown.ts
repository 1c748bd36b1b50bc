import { rmSync } from 'node:fs';
import { currentRun, forget } from './run.js';

export default async function teardown(): Promise<void> {
  const run = currentRun();
  // Jest calls the teardown of each project, so only the first call does anything.
  forget();
  await Promise.all([run?.valkey?.stop(), run?.broker?.stop(), run?.server?.stop()]);
  if (run) rmSync(run.folder, { recursive: true, force: true, maxRetries: 10 });
}
