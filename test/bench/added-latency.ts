import { type BenchRow, percentile } from './bench.js';
import {
  type Contender,
  type Field,
  cpuPerRequest,
  drive,
  rateOf,
  voidIfWrong,
} from './contender.js';
import { LOOKUP_PATH } from './gateway-field.js';

const CALM_RATE = 5_000;
/** What the bare proxy took a request on the machine on which the latencies to reach were set. */
const TARGETS_BARE_US = 27;
/** Each asks ten times a second: an answer that is late hardly slows the rate, as it does with few. */
const CALM_CONNECTIONS = 500;
const CALM_MS = 8_000;
/** As long, before each measurement: what was at rest takes its credits again, and grows what it takes. */
const WARM_UP_MS = 3_000;
const CALM_ROUNDS = 3;
/** The whole bench then ends within four minutes, also beside other work. */
const SHORT = { calmMs: 5_000, rounds: 2, calms: 1 };
const DIRECT_PATH = '/internal/whois/live?version=2&domainName=example{n}.com';

/** Of the gateway; its p99 as a multiple of what nginx and Lua add in the same run. */
const TARGETS = { p50Ms: 0.5, p99OfLua: 3 };

/** A load that leaves the gateway time, and the clock by which its latency counts. */
interface Calm {
  /** What stands behind the figure's name. */
  name: string;
  /** How many times slower than the clock on the wall that clock goes. */
  paceOf(bareUs: number): number;
}

const CALMS: Calm[] = [
  { name: `at ${CALM_RATE} req/s`, paceOf: () => 1 },
  { name: "in the machine's own time", paceOf: (bareUs) => bareUs / TARGETS_BARE_US },
];

/**
 * Latency added to the same questions sent to the upstream directly. The load, the upstream, the
 * stand-ins and PostgreSQL share the second core, so part of it is their waiting for one another: what
 * nginx and Lua add in the same place tells how much. The targets were set where the bare proxy takes
 * 27 µs a request; on a machine that is several times slower, so many requests a second are another
 * question. So each round also asks it in the machine's own time: rate and latency are both scaled by
 * what the bare proxy takes at that moment (docs/decisions/0018).
 */
export async function addedLatency(
  field: Field,
  { bare, ours, lua }: { bare: Contender; ours: Contender; lua?: Contender },
): Promise<BenchRow[]> {
  const short = field.isShort ? SHORT : undefined;
  const calms = CALMS.slice(0, short?.calms);
  const durationMs = short?.calmMs ?? CALM_MS;
  const added = calms.map(() => [ours, ...(lua ? [lua] : [])].map(newAddedLatency));
  for (let round = 0; round < (short?.rounds ?? CALM_ROUNDS); round++) {
    const bareUs = await cpuPerRequest(field, bare);
    for (const [place, calm] of calms.entries()) {
      const pace = calm.paceOf(bareUs);
      const direct = await drive(field, { ...calmLoad(pace), durationMs, ...directly(field) });
      for (const each of added[place]) {
        const { port, keys, name } = each.contender;
        const load = { ...calmLoad(pace), durationMs, port, keys, path: LOOKUP_PATH };
        await drive(field, { ...load, durationMs: WARM_UP_MS });
        const through = await drive(field, load);
        voidIfWrong(each.contender, through);
        process.stderr.write(
          `  ${name} ${calm.name}: pace ${pace.toFixed(1)}, p50 ${direct.p50Ms} → ${through.p50Ms} ms, p99 ${direct.p99Ms} → ${through.p99Ms} ms, ${Math.round(rateOf(through))} req/s\n`,
        );
        each.p50s.push((through.p50Ms - direct.p50Ms) / pace);
        each.p99s.push((through.p99Ms - direct.p99Ms) / pace);
        each.shares.push((rateOf(through) * pace) / CALM_RATE);
      }
    }
  }
  return calms.flatMap((calm, place) => {
    const [, ofLua] = added[place];
    const p99Ms = ofLua && Math.min(...ofLua.p99s) * TARGETS.p99OfLua;
    return added[place].flatMap((each) => latencyRows(calm, each, { p50Ms: TARGETS.p50Ms, p99Ms }));
  });
}

/** What a contender adds, a value a round; `shares` of the rate that was asked for. */
interface AddedLatency {
  contender: Contender;
  p50s: number[];
  p99s: number[];
  shares: number[];
}

function newAddedLatency(contender: Contender): AddedLatency {
  return { contender, p50s: [], p99s: [], shares: [] };
}

function latencyRows(
  calm: Calm,
  { contender, p50s, p99s, shares }: AddedLatency,
  most: { p50Ms: number; p99Ms?: number },
): BenchRow[] {
  const isOurs = contender.name.startsWith('gateway');
  const row = (figure: string, values: number[], mostMs?: number): BenchRow => {
    const value = Math.min(...values);
    const median = percentile(values, 0.5);
    const what = `${contender.name}: added ${figure} ${calm.name}`;
    const hasTarget = isOurs && mostMs !== undefined;
    const target = hasTarget && { target: `≤ ${mostMs.toFixed(2)} ms`, ok: value <= mostMs };
    return { what, value, median, unit: 'ms', ...target };
  };
  const what = `${contender.name}: rate reached ${calm.name}`;
  return [
    { what, value: Math.min(...shares) * 100, unit: '%' },
    row('p50', p50s, most.p50Ms),
    row('p99', p99s, most.p99Ms),
  ];
}

function calmLoad(pace: number) {
  const ratePerSecond = CALM_RATE / pace;
  return { connections: CALM_CONNECTIONS, ratePerSecond };
}

function directly({ upstreamPort }: Field) {
  return { port: upstreamPort, path: DIRECT_PATH, keys: [] };
}
