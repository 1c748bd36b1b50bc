import { spawn } from 'node:child_process';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { waitFor } from '#test/environment';
import { type BenchReport, type BenchRow, atMost, newFolder } from './bench.js';
import { cleanup } from './cleanup.js';

const START_TIMEOUT_MS = 240_000;
const NOT_COPIED = /^(\.git|data|dist|node_modules)(\/|$)/;
const STARTS = [
  ['first start after npm ci, build included', 6],
  ['second start', 4],
] as const;

/** Measures `npm start` in a copy of the sources. The first start compiles and creates the database. */
export async function measure(): Promise<BenchReport> {
  const copy = newFolder('start');
  cpSync('.', copy, { recursive: true, filter: (path) => !NOT_COPIED.test(path) });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  const rows: BenchRow[] = [];
  for (const [what, targetSeconds] of STARTS) {
    rows.push(atMost(what, await timeStart(copy), targetSeconds, 's'));
  }
  return { title: 'npm start', rows };
}

async function timeStart(copy: string): Promise<number> {
  const startedAt = performance.now();
  const stop = await startSolo(join(copy, 'data'), 'solo.json', {}, ['start.js', copy]);
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
  [program, cwd] = ['dist/apps/solo/src/main.js', '.'],
): Promise<() => Promise<void>> {
  const ports = { API_PORT: '0', DASHBOARD_PORT: '0', METRICS_PORT: '0' };
  const solo = spawn(process.execPath, [program, '--offline'], {
    cwd,
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
