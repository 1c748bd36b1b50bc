import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchReport, BenchRow } from './bench.js';
import { cleanup } from './cleanup.js';

/** The effort spent on a figure: a long run for the record, a short one for a trial. */
export interface FigureOptions {
  isShort: boolean;
}

/** Each figure can be measured alone: `npm run bench cluster storm kafka`. */
export const CLUSTER_FIGURES = ['two-cores', 'storm', 'kafka'] as const;

type ClusterFigure = (typeof CLUSTER_FIGURES)[number];

/** A figure that takes longer than this is hanging. */
const FIGURE_LIMIT_MS = 9 * 60_000;

const MEASURES: Record<ClusterFigure, (options: FigureOptions) => Promise<BenchRow[]>> = {
  'two-cores': async () => (await import('./cluster/two-cores.js')).measure(),
  storm: async (options) => (await import('./cluster/storm.js')).measure(options),
  kafka: async (options) => (await import('./cluster/kafka.js')).measure(options),
};

/** The product as it runs on many machines: separate services, three gateways, Kafka and Valkey. */
export async function run(
  figures: readonly string[] = [],
  options: FigureOptions = { isShort: false },
): Promise<BenchReport> {
  const [rows, notRun]: [BenchRow[], string[]] = [[], []];
  const wanted = figures.length > 0 ? figures : CLUSTER_FIGURES;
  for (const figure of CLUSTER_FIGURES.filter((name) => wanted.includes(name))) {
    process.stderr.write(`  ${figure} …\n`);
    const startedMs = performance.now();
    try {
      rows.push(...(await bounded(MEASURES[figure](options))));
    } catch (error) {
      // A figure that fails misses its target; the others are still measured.
      process.stderr.write(`  ${figure} failed: ${String(error).slice(0, 2_000)}\n`);
      rows.push({ what: figure, value: NaN, unit: '', target: 'to be measured', ok: false });
      notRun.push(`${figure}: ${(error as Error).message.split('\n', 1)[0]}`);
    } finally {
      await cleanup.run();
    }
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    process.stderr.write(`  ${figure} took ${seconds} s\n`);
  }
  return { title: 'a cluster: several gateways, several cores, events over Kafka', rows, notRun };
}

/** @throws if a figure hangs; the cleanup stops what it started. */
async function bounded<T>(measured: Promise<T>): Promise<T> {
  const over = new AbortController();
  const limit = sleep(FIGURE_LIMIT_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(`not done after ${FIGURE_LIMIT_MS / 60_000} minutes`);
  });
  // Nothing else handles a rejection of the promise that settles second.
  limit.catch(() => {});
  measured.catch(() => {});
  return Promise.race([measured, limit]).finally(() => over.abort());
}
