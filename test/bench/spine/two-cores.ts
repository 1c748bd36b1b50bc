import { type BenchRow, percentile } from '../bench.js';
import {
  CONNECTIONS,
  type GatewayField,
  LOOKUP_PATH,
  openGatewayField,
  startGateway,
} from '../gateway-field.js';
import { cpuUs } from '../machine.js';
import { driveWrk } from '../wrk.js';

const ROUNDS = 8;
/** Each thread compiles for itself. */
const WARM_UPS = 2;
const ROUND_MS = 3_000;
const LEAST = 1.7;

/**
 * What the second core brings: twice the CPU time a request of one thread ÷ that of two. Nothing is
 * bound to a core, both have the same load in turn; wrk and nginx (of Debian) are needed.
 */
export async function measure(): Promise<BenchRow[]> {
  const field = await openGatewayField();
  const { around, keys } = field;
  const contenders = [await withThreads(field, 1), await withThreads(field, 2)];
  const cpu: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
    for (const [place, { pid, port }] of contenders.entries()) {
      const before = cpuUs(pid);
      const load = {
        port,
        path: LOOKUP_PATH,
        keys,
        connections: CONNECTIONS,
        durationMs: ROUND_MS,
      };
      const { answers, refused, lost, elapsedMs } = await driveWrk(load, around.folder);
      if (refused + lost > 0) throw new Error(`void: ${refused} refused, ${lost} lost`);
      const us = (cpuUs(pid) - before) / answers;
      const rate = Math.round((answers * 1000) / elapsedMs);
      process.stderr.write(`    ${place + 1} thread(s): ${us.toFixed(1)} µs, ${rate} req/s\n`);
      if (round >= WARM_UPS) cpu[place].push(us);
    }
  }
  const [one, two] = cpu;
  const value = (2 * Math.min(...one)) / Math.min(...two);
  const ratios = one.map((us, round) => (2 * us) / two[round]);
  const least = (values: number[]) => ({
    value: Math.min(...values),
    median: percentile(values, 0.5),
    unit: 'µs',
  });
  return [
    { what: 'CPU a request, one thread', ...least(one) },
    { what: 'CPU a request, two threads with exact counters', ...least(two) },
    {
      what: 'two cores: 2 × CPU of one ÷ of two',
      value,
      median: percentile(ratios, 0.5),
      unit: '',
      target: `≥ ${LEAST}`,
      ok: value >= LEAST,
    },
  ];
}

async function withThreads(field: GatewayField, threads: number) {
  const settings = { GATEWAY_THREADS: String(threads) };
  return startGateway(field, { name: `cores-${threads}.journal`, settings });
}
