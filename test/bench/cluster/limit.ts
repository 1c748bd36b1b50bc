import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchRow, atMost } from '../bench.js';
import type { FigureOptions } from '../cluster.bench.js';
import { BenchCluster } from './bench-cluster.js';
import { type Asked, mostInAMinute } from './load.js';

const LIMIT = 600;
const EXCESS = 3;
const WINDOW_MS = 61_000;
const CLIENTS = 24;

/**
 * One key at three times its limit over three gateways, evenly; then Valkey is killed under the same
 * load. A request counts at the moment its answer came.
 */
export async function measure({ isShort }: FigureOptions): Promise<BenchRow[]> {
  const field = await BenchCluster.open();
  await field.setLimit('live', LIMIT);
  await field.grant(100_000);
  const load = { clients: CLIENTS, ratePerSecond: (LIMIT * EXCESS) / 60 };
  const startedMs = performance.now();
  const togetherMs = isShort ? WINDOW_MS : 2 * WINDOW_MS;
  const lostMs = startedMs + togetherMs;
  const endMs = lostMs + 2 * WINDOW_MS + 5_000;
  const running = field.fleet.hammer({ ...load, untilMs: endMs });
  await sleep(togetherMs);
  field.cluster.valkey!.kill('SIGKILL');
  process.stderr.write('    Valkey is killed\n');
  const answers = await running;
  const admitted = (from: number, to: number) => mostInAMinute(timesOf(answers, from, to)) / LIMIT;
  const row = (what: string, value: number, most: number) => {
    const bound = atMost(what, value, most, '× the limit');
    return { ...bound, ok: bound.ok === true && value > 0 };
  };
  const failed = answers.filter(({ status }) => status !== 200 && status !== 429).length;
  return [
    row('limit: one key at 3 × over three gateways', admitted(0, lostMs), 1.01),
    row('limit: any minute with the loss of Valkey in it', admitted(lostMs - 60_000, Infinity), 2),
    row('limit: once the window has passed', admitted(lostMs + WINDOW_MS, Infinity), 1),
    { what: 'limit: answers other than 200 and 429', value: failed, unit: 'requests' },
  ];
}

function timesOf(answers: Asked[], fromMs: number, toMs: number): number[] {
  return answers
    .filter(({ status }) => status === 200)
    .map(({ endedMs }) => endedMs)
    .filter((endedMs) => endedMs >= fromMs && endedMs < toMs);
}
