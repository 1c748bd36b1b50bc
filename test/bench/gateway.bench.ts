import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  type BenchOptions,
  type BenchReport,
  type BenchRow,
  atMost,
  leastOf,
  percentile,
} from './bench.js';
import { addedLatency } from './added-latency.js';
import { cleanup } from './cleanup.js';
import { type Contender, type Field, cpuOfAll, voidIfWrong } from './contender.js';
import {
  ANSWER_BYTES,
  CONNECTIONS,
  KEYS,
  LOOKUP_PATH,
  NODE_FLAGS,
  UNLIMITED,
  gatewayBenchMissing,
  openGatewayField,
  startGateway,
} from './gateway-field.js';
import { pin, memoryMb } from './machine.js';
import { startLuaPeer } from './nginx.js';
import { driveWrk } from './wrk.js';

const MEMORY_KEYS = 100_000;
/** The length of the load, during which each key must be used at least once; otherwise, the run is void. */
const MEMORY_MS = 40_000;
const MEMORY_WARM_UP_MS = 4_000;
const ROUNDS = 6;
const SHORT_ROUNDS = 3;

/**
 * Measures the CPU time per request of the gateway's process with every feature on, compared with a bare proxy,
 * off-the-shelf plugins, and nginx with Lua. Contenders take turns: each runs alone on the first core, and everything
 * else runs on the second. The lowest round counts, because other load can only add time. Also measures the added
 * latency and, unless `isShort`, the memory of active keys.
 */
export async function measure({ isShort }: BenchOptions): Promise<BenchReport> {
  if (gatewayBenchMissing) return { title: 'gateway', rows: [], notRun: [gatewayBenchMissing] };
  pin(process.pid, 1);
  const rounds = isShort ? SHORT_ROUNDS : ROUNDS;
  const field: Field = { ...(await openGatewayField()), rounds, isShort };
  const rows = await compare(field);
  if (!isShort) rows.push(await memoryOfKeys(field));
  return {
    title: `gateway: CPU time of its process per request (${CONNECTIONS} connections of wrk, ${ANSWER_BYTES} bytes from nginx, ${KEYS} keys; least of ${field.rounds} rounds)`,
    rows,
  };
}

async function compare(field: Field): Promise<BenchRow[]> {
  const ours = await measured(field, 'gateway, everything on');
  // The limit is 0, because a limit of 1 would let one request pass every minute.
  const { apiKey, keyRecord } = field.around.account.addKey();
  field.around.entitlement.limits.set(keyRecord.accountId, 0);
  const [name, keys] = ['gateway, 429', [apiKey]];
  const refusing: Contender = { ...ours, name, keys, expected: 429 };
  const bare = await startProxy(field, 'bare Fastify and undici dispatch', 'bare-proxy.js');
  const plugins = await startProxy(field, 'http-proxy and rate-limit plugins', 'plugin-proxy.js');
  const lua = await startLua(field);
  const contenders = [bare, ours, plugins, refusing, lua];
  for (const contender of contenders) await verify(contender);
  const cpu = await cpuOfAll(field, contenders, { warmUps: 1, rounds: field.rounds });
  const [bareUs, oursUs, pluginsUs, refusedUs, luaUs] = cpu;
  const rows = contenders.map(({ name }, place) => leastOf(name, cpu[place], 'µs'));
  rows.push(ratio('gateway of bare', { of: bareUs, by: oursUs, least: 1.12 }));
  rows.push(ratio('gateway built from plugins', { of: pluginsUs, by: oursUs, least: 1.4 }));
  rows.push(ratio('gateway built from nginx and Lua', { of: luaUs, by: oursUs, least: 0.75 }));
  rows.push(ratio('429 of a proxied request', { of: oursUs, by: refusedUs, least: 2.2 }));
  rows.push(...(await addedLatency(field, { ours, lua })));
  return rows;
}

interface Compared {
  of: number[];
  by: number[];
  least: number;
}

function ratio(what: string, { of, by, least }: Compared): BenchRow {
  const value = (Math.min(...of) / Math.min(...by)) * 100;
  const median = percentile(
    of.map((us, round) => (us / by[round]) * 100),
    0.5,
  );
  const target = Math.round(least * 100);
  return { what, value, median, unit: '%', target: `≥ ${target} %`, ok: value >= target };
}

async function memoryOfKeys(field: Field): Promise<BenchRow> {
  const addKey = () => field.around.account.addKey().apiKey;
  const keys = Array.from({ length: MEMORY_KEYS }, addKey);
  const gateway = await measured(field, 'memory');
  const load = { port: gateway.port, path: LOOKUP_PATH, connections: CONNECTIONS };
  const { folder } = field.around;
  // The warm-up makes V8 compile the code and grow its young generation, so that neither counts as memory of the keys.
  const warmUp = { ...load, keys: keys.slice(0, 1), durationMs: MEMORY_WARM_UP_MS };
  await driveWrk(warmUp, folder);
  const idle = memoryMb(gateway.pid);
  const result = await driveWrk({ ...load, keys, durationMs: MEMORY_MS }, folder);
  voidIfWrong(gateway, result);
  if (result.answers < MEMORY_KEYS) throw new Error(`the run is void: ${result.answers} answers`);
  const what = `resident memory added by ${MEMORY_KEYS} active keys`;
  return atMost(what, memoryMb(gateway.pid) - idle, 150, 'MB');
}

async function verify(contender: Contender): Promise<void> {
  const { name, port, keys, expected } = contender;
  const url = `http://127.0.0.1:${port}${LOOKUP_PATH.replace('{n}', '1')}&apiKey=${keys[0]}`;
  const response = await fetch(url);
  const body = (await response.json()) as { whois_raw_domain?: string };
  const isWhole = expected === 429 || (body.whois_raw_domain?.length ?? 0) > ANSWER_BYTES - 200;
  const isOpen = !name.startsWith('bare') && (await statusOf(contender, 'unknown')) !== 401;
  if (response.status !== expected || !isWhole || isOpen) {
    throw new Error(`the run is void: ${name} answers ${response.status}, keys ignored: ${isOpen}`);
  }
}

async function statusOf({ port }: Contender, key: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${LOOKUP_PATH}&apiKey=${key}`);
  await response.arrayBuffer();
  return response.status;
}

async function measured(field: Field, name: string): Promise<Contender> {
  const gateway = await startGateway(field, { name, core: 0 });
  return { name, ...gateway, keys: field.keys, expected: 200 };
}

async function startProxy(field: Field, name: string, file: string): Promise<Contender> {
  const child = fork(join(import.meta.dirname, file), {
    env: {
      UPSTREAM_URL: `http://127.0.0.1:${field.upstreamPort}`,
      BENCH_KEYS: JSON.stringify(field.keys),
      BENCH_LIMIT: String(UNLIMITED),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: NODE_FLAGS,
  });
  cleanup.add(() => child.kill('SIGKILL'));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  pin(child.pid!, 0);
  return { name, pid: child.pid!, port, keys: field.keys, expected: 200 };
}

async function startLua({ around, upstreamPort, keys }: Field): Promise<Contender> {
  const nginx = await startLuaPeer(around.folder, { upstreamPort, keys, limit: UNLIMITED });
  pin(nginx.pid, 0);
  return { name: 'nginx and Lua', ...nginx, keys, expected: 200 };
}
