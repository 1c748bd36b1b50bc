import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitFor } from '#test/environment';
import { type BenchReport, type BenchRow, atMost, newFolder } from './bench.js';
import { cleanup } from './cleanup.js';

const TARGET_SECONDS = 15;
const START_TIMEOUT_MS = 240_000;

/** Measures `npm start` after installation and build. The first start creates the database; the second opens it. */
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
  const stop = await startSolo(folder, 'solo.json');
  const seconds = (performance.now() - startedAt) / 1000;
  await stop();
  return seconds;
}

/**
 * Starts the product offline and on free ports, waits until it has written a file, and returns a function that stops
 * the product.
 * @throws Error if the product exits first, or has not written the file within four minutes.
 */
export async function startSolo(
  folder: string,
  file: string,
  settings: Record<string, string> = {},
): Promise<() => Promise<void>> {
  const ports = { API_PORT: '0', DASHBOARD_PORT: '0', METRICS_PORT: '0' };
  const solo = spawn(process.execPath, ['dist/apps/solo/src/main.js', '--offline'], {
    env: { ...process.env, ...ports, DATA_DIR: folder, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(solo, 'exit');
  const stop = async () => {
    solo.kill('SIGTERM');
    await ended;
  };
  cleanup.add(stop);
  const isDone = () => solo.exitCode !== null || existsSync(join(folder, file));
  await waitFor(file, isDone, START_TIMEOUT_MS);
  if (solo.exitCode !== null) throw new Error('the product exited during its start');
  return stop;
}
