import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitFor } from '#test/environment';
import { type BenchReport, type BenchRow, atMost, newFolder } from './bench.js';
import { cleanup } from './cleanup.js';

const TARGET_SECONDS = 15;
const START_TIMEOUT_MS = 120_000;

/** `npm start` after installation and build: the first start makes the database, later ones open it. */
export async function run(): Promise<BenchReport> {
  const folder = newFolder('start');
  const rows: BenchRow[] = [];
  for (const what of ['first start, empty folder', 'second start']) {
    const seconds = await timeStart(folder);
    rows.push(atMost(what, seconds, TARGET_SECONDS, 's'));
  }
  return { title: 'npm start, build not counted', rows };
}

async function timeStart(folder: string): Promise<number> {
  const startedAt = performance.now();
  const solo = launch(folder);
  cleanup.add(async () => stop(solo));
  try {
    const facts = join(folder, 'solo.json');
    await waitFor('solo to write its facts', () => existsSync(facts), START_TIMEOUT_MS);
    return (performance.now() - startedAt) / 1000;
  } finally {
    await stop(solo);
  }
}

export async function stop(solo: ChildProcess): Promise<void> {
  if (solo.exitCode !== null || solo.signalCode !== null) return;
  solo.kill('SIGTERM');
  await once(solo, 'exit');
}

function launch(folder: string): ChildProcess {
  return spawn(process.execPath, ['dist/apps/solo/src/main.js', '--offline'], {
    env: { ...process.env, DATA_DIR: folder, API_PORT: '0', DASHBOARD_PORT: '0' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
