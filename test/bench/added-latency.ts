import type { BenchRow } from './bench.js';
import { leastOf } from './bench.js';
import { type Contender, type Field, rateOf, voidIfWrong } from './contender.js';
import { LOOKUP_PATH } from './gateway-field.js';
import { driveWrk } from './wrk.js';

const RATE = 5_000;
/**
 * The number of connections, each of which sends ten requests a second. With fewer connections, late answers would
 * lower the rate.
 */
const CALM_CONNECTIONS = 500;
const DIRECT_PATH = '/internal/whois/live?version=2&domainName=example{n}.com';
/** The length of the warm-up before each measurement, after which leases and memory have reached their usual size. */
const WARM_UP_MS = 3_000;
const FULL = { durationMs: 8_000, rounds: 3 };
const SHORT = { durationMs: 5_000, rounds: 2 };
/**
 * The gateway's targets. The target of its p99 is a multiple of the latency that nginx with Lua adds in the same run.
 */
const TARGETS = { p50Ms: 0.5, p99OfLua: 3 };

/**
 * Measures the latency that a contender adds to requests, compared with sending them directly to the upstream, at a
 * load below the gateway's limit. The load generator, the upstream, the stand-ins and PostgreSQL share the second core,
 * so they wait for each other, and part of the latency is due to this. The figure of nginx with Lua shows how much.
 */
export async function addedLatency(
  field: Field,
  { ours, lua }: { ours: Contender; lua?: Contender },
): Promise<BenchRow[]> {
  const { durationMs, rounds } = field.isShort ? SHORT : FULL;
  const { folder } = field.around;
  const calm = { durationMs, connections: CALM_CONNECTIONS, ratePerSecond: RATE };
  const added = [ours, ...(lua ? [lua] : [])].map((contender) => {
    return { contender, p50s: [] as number[], p99s: [] as number[], shares: [] as number[] };
  });
  for (let round = 0; round < rounds; round++) {
    const upstream = { port: field.upstreamPort, keys: [], path: DIRECT_PATH };
    const direct = await driveWrk({ ...calm, ...upstream }, folder);
    for (const { contender, p50s, p99s, shares } of added) {
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
      shares.push((rateOf(through) / RATE) * 100);
    }
  }
  const luaP99 = added.at(1) && Math.max(0, Math.min(...added[1].p99s));
  return added.flatMap(({ contender, p50s, p99s, shares }, place) => {
    const isOurs = place === 0;
    const what = `${isOurs ? 'added latency' : `added by ${contender.name}`}, at ${RATE} req/s`;
    return [
      within(leastOf(`${what}, p50`, p50s, 'ms'), isOurs ? TARGETS.p50Ms : undefined),
      within(
        leastOf(`${what}, p99`, p99s, 'ms'),
        isOurs && luaP99 !== undefined ? TARGETS.p99OfLua * luaP99 : undefined,
      ),
      { what: `${what}, share of the rate reached`, value: Math.max(...shares), unit: '%' },
    ];
  });
}

function within(row: BenchRow, mostMs: number | undefined): BenchRow {
  if (mostMs === undefined) return row;
  return { ...row, target: `≤ ${Number(mostMs.toPrecision(3))} ms`, ok: row.value <= mostMs };
}
