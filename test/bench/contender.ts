import { CONNECTIONS, type GatewayField, LOOKUP_PATH } from './gateway-field.js';
import { cpuUs } from './machine.js';
import { type LoadResult, driveWrk } from './wrk.js';

/** The length of a round in which CPU time is counted, unless a bench sets another length. */
const ROUND_MS = 2_000;

/** A server under load. In the gateway bench, it runs alone on the first core, and everything else on the second. */
export interface Contender {
  name: string;
  pid: number;
  furtherPids?: readonly number[];
  port: number;
  connections?: number;
  keys: string[];
  expected: 200 | 429;
}

export interface Field extends GatewayField {
  rounds: number;
  isShort: boolean;
}

/**
 * Measures the CPU time per request of each contender in each round, in microseconds. Contenders take turns. Warm-ups,
 * in which keys are looked up and functions are compiled, do not count.
 * @throws the errors of `voidIfWrong`.
 */
export async function cpuOfAll(
  field: GatewayField,
  contenders: Contender[],
  { warmUps, rounds, durationMs }: { warmUps: number; rounds: number; durationMs?: number },
): Promise<number[][]> {
  const cpu: number[][] = contenders.map(() => []);
  for (let round = 0; round < warmUps + rounds; round++) {
    for (const [place, contender] of contenders.entries()) {
      const us = await cpuPerRequest(field, contender, durationMs);
      if (round >= warmUps) cpu[place].push(us);
    }
  }
  return cpu;
}

async function cpuPerRequest(
  { around }: GatewayField,
  contender: Contender,
  durationMs = ROUND_MS,
): Promise<number> {
  const { name, pid, furtherPids = [], port, keys, connections = CONNECTIONS } = contender;
  const used = () => [pid, ...furtherPids].reduce((sum, each) => sum + cpuUs(each), 0);
  const before = used();
  const load = { connections, durationMs, path: LOOKUP_PATH };
  const result = await driveWrk({ ...load, port, keys }, around.folder);
  const us = (used() - before) / result.answers;
  process.stderr.write(`  ${name}: ${us.toFixed(1)} µs, ${Math.round(rateOf(result))} req/s\n`);
  voidIfWrong(contender, result);
  return us;
}

/** @throws Error if no answer came, or if an answer was lost or unexpected. */
export function voidIfWrong(
  { name, expected }: Contender,
  { answers, refused, lost }: LoadResult,
): void {
  const wrong = expected === 200 ? refused : answers - refused;
  if (answers > 0 && wrong === 0 && lost === 0) return;
  throw new Error(`the run is void: ${name}: ${answers} answers, ${wrong} wrong, ${lost} lost`);
}

export function rateOf({ answers, elapsedMs }: LoadResult): number {
  return (answers / elapsedMs) * 1000;
}
