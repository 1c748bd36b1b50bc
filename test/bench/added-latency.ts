import type { BenchRow } from './bench.js';
import { leastOf } from './bench.js';
import { type Contender, type Field, rateOf, voidIfWrong } from './contender.js';
import { LOOKUP_PATH } from './gateway-field.js';
import { driveWrk } from './wrk.js';

const RATE = 5_000;
// Each sends ten requests a second. With fewer connections, late answers would lower the rate.
const CALM_CONNECTIONS = 500;
const DIRECT_PATH = '/internal/whois/live?version=2&domainName=example{n}.com';
/** The length of the warm-up before each measurement, after which leases and memory have reached their usual size. */
const WARM_UP_MS = 3_000;
const FULL = { durationMs: 8_000, rounds: 3 };
const SHORT = { durationMs: 5_000, rounds: 2 };
/** The target for the p99 is a multiple of the latency that nginx with Lua adds in the same run. */
const TARGETS = { p50Ms: 0.5, p99OfLua: 3 };

/**
 * Measures the latency that the gateway and nginx with Lua add to requests, compared with sending them directly to the
 * upstream, at a load below the gateway's limit. The load generator, the upstream, the stand-ins and PostgreSQL share
 * the second core, so they wait for each other, and part of the latency is due to this. The figure for nginx shows how
 * much.
 */
export async function addedLatency(
  field: Field,
  { ours, lua }: { ours: Contender; lua: Contender },
): Promise<BenchRow[]> {
  const { durationMs, rounds } = field.isShort ? SHORT : FULL;
  const { folder } = field.around;
  const calm = { durationMs, connections: CALM_CONNECTIONS, ratePerSecond: RATE };
  const added = [ours, lua].map((contender) => {
    return { contender, p50s: [] as number[], p99s: [] as number[] };
  });
  for (let round = 0; round < rounds; round++) {
    const upstream = { port: field.upstreamPort, keys: [], path: DIRECT_PATH };
    const direct = await driveWrk({ ...calm, ...upstream }, folder);
    for (const { contender, p50s, p99s } of added) {
      const { port, keys, name } = contender;
      const load = { ...calm, port, keys, path: LOOKUP_PATH };
      await driveWrk({ ...load, durationMs: WARM_UP_MS }, folder);
      const through = await driveWrk(load, folder);
      voidIfWrong(contender, through);
      const rate = Math.round(rateOf(through));
      process.stderr.write(
        `  ${name}: p50 ${direct.p50Ms} → ${through.p50Ms} ms, p99 ${direct.p99Ms} → ${through.p99Ms} ms, ${rate} req/s\n`,
      );
      p50s.push(through.p50Ms - direct.p50Ms);
      p99s.push(through.p99Ms - direct.p99Ms);
    }
  }
  const rowsOf = ({ contender, p50s, p99s }: (typeof added)[number]) => {
    const what = `latency added by ${contender.name}, at ${RATE} req/s`;
    return [leastOf(`${what}, p50`, p50s, 'ms'), leastOf(`${what}, p99`, p99s, 'ms')];
  };
  const [[p50, p99], ofLua] = added.map(rowsOf);
  const luaP99 = Math.max(0, ofLua[1].value);
  return [within(p50, TARGETS.p50Ms), within(p99, TARGETS.p99OfLua * luaP99), ...ofLua];
}

function within(row: BenchRow, mostMs: number): BenchRow {
  return { ...row, target: `≤ ${Number(mostMs.toPrecision(3))} ms`, ok: row.value <= mostMs };
}
