import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningCluster, startCluster } from '../../apps/cluster/src/cluster.js';
import type { ClusterOptions } from '../../apps/cluster/src/cluster-options.js';
import { ServiceProcess } from '../../apps/cluster/src/processes/service-process.js';
import { setupDurablePostgres, setupPostgres, teardown } from '../environment/setup.js';
import { cleanup } from './cleanup.js';

/** A measured figure. `ok` is set if the figure has a target. */
export interface BenchRow {
  what: string;
  value: number;
  unit: string;
  median?: number;
  /** The target as text, for example `≥ 80 %`. */
  target?: string;
  ok?: boolean;
}

export interface BenchOptions {
  isShort: boolean;
  names?: number;
}

export interface BenchReport {
  title: string;
  rows: BenchRow[];
  /** Figures that could not be measured on this machine, with the reason. */
  notRun?: string[];
}

export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

const bounded =
  (sign: '≤' | '≥') =>
  (what: string, value: number, bound: number, unit = ''): BenchRow => {
    const target = `${sign} ${bound} ${unit}`.trimEnd();
    return { what, value, unit, target, ok: sign === '≤' ? value <= bound : value >= bound };
  };

export const [atMost, atLeast] = [bounded('≤'), bounded('≥')];

/** Creates a figure from the lowest of its rounds, with their median. Other load on the machine can only add time. */
export const leastOf = (what: string, values: number[], unit: string): BenchRow => ({
  what,
  value: Math.min(...values),
  median: percentile(values, 0.5),
  unit,
});

/**
 * Runs a task for each item, at most `width` at a time. @returns the milliseconds of each, in the order in which they
 * finished.
 */
export async function inLanes<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  const rest = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) {
      const begunMs = performance.now();
      await work(next.value);
      times.push(performance.now() - begunMs);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return times;
}

export function newFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `bench-${name}-`));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Starts a separate PostgreSQL server with the migrated template.
 * @param isDurable whether committed data survives a crash, as in production.
 * @param settings settings of a durable server.
 */
export async function openPostgres(
  isDurable = true,
  settings: Record<string, string> = {},
): Promise<void> {
  cleanup.add(teardown);
  // A clone of the template lacks the role settings of an installation.
  const likeRoles = { jit: 'off', max_parallel_workers_per_gather: '0' };
  await (isDurable ? setupDurablePostgres({ ...likeRoles, ...settings }) : setupPostgres());
}

export async function openCluster(
  options: Omit<ClusterOptions, 'folder'>,
): Promise<RunningCluster> {
  const starting = startCluster({ folder: join(newFolder('cluster'), 'cluster'), ...options });
  // Registered before the start, so that a signal during the start leaves nothing behind.
  cleanup.add(async () => (await starting).stop());
  return starting;
}

export async function openService(
  app: string,
  settings: Record<string, string>,
  nodeOptions: readonly string[] = [],
): Promise<ServiceProcess> {
  const logFile = join(newFolder(app), 'log');
  const service = new ServiceProcess({ name: app, app, nodeOptions, settings, logFile });
  cleanup.add(() => service.stop());
  await service.start();
  return service;
}

export const timesRows = (what: string, times: number[], p99MaxMs: number): BenchRow[] => [
  { what: `${what}, p50`, value: percentile(times, 0.5), unit: 'ms' },
  atMost(`${what}, p99`, percentile(times, 0.99), p99MaxMs, 'ms'),
];
