import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitFor } from '#test/environment';
import { type BenchReport, type BenchRow, atMost, newFolder } from './bench.js';
import { cleanup } from './cleanup.js';

const TARGET_SECONDS = 15;
const START_TIMEOUT_MS = 240_000;

/** Measures `npm start` after installation and build. The first start creates the database; later starts open it. */
export async function measure(): Promise<BenchReport> {
  const folder = newFolder('start');
  const rows: BenchRow[] = [];
  for (const what of ['first start with an empty folder', 'second start']) {
    const seconds = await timeStart(folder);
    rows.push(atMost(what, seconds, TARGET_SECONDS, 's'));
  }
  return { title: 'npm start, without the build', rows };
}

async function timeStart(folder: string): Promise<number> {
  const startedAt = performance.now();
  const solo = launch(folder);
  const file = join(folder, 'solo.json');
  try {
    const isThere = () => {
      if (solo.exitCode !== null) throw new Error('the product exited during its start');
      return existsSync(file);
    };
    await waitFor(file, isThere, START_TIMEOUT_MS);
    return (performance.now() - startedAt) / 1000;
  } finally {
    await stop(solo);
  }
}

async function stop(solo: ChildProcess): Promise<void> {
  if (solo.exitCode !== null || solo.signalCode !== null) return;
  solo.kill('SIGTERM');
  await once(solo, 'exit');
}

/** Starts the product offline and on free ports. It runs until the bench ends. */
function launch(folder: string): ChildProcess {
  const ports = { API_PORT: '0', DASHBOARD_PORT: '0', METRICS_PORT: '0' };
  const solo = spawn(process.execPath, ['dist/apps/solo/src/main.js', '--offline'], {
    env: { ...process.env, ...ports, DATA_DIR: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  cleanup.add(async () => stop(solo));
  return solo;
}
