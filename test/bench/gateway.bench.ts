import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestDatabase, waitFor } from '#libs/testing';
import setup from '../environment/setup.js';
import teardown from '../environment/teardown.js';
import { GatewayNeighbourhood } from '../stand-ins/gateway-neighbourhood.js';
import { LookupStandIn, deliveredAnswer } from '../stand-ins/lookup-stand-in.js';
import type { BenchReport, BenchRow } from './bench.js';
import type { Load, LoadResult } from './load-client.js';

const KEYS = 1_000;
const MEMORY_KEYS = 100_000;
const WARM_UP_ANSWERS = 20_000;
const ROUNDS = 8;
const ROUND_MS = 1_500;
const CONNECTIONS = 64;
const UNLIMITED = 1_000_000;
const HERE = import.meta.dirname;
const GATEWAY = join(HERE, '..', '..', 'apps', 'gateway', 'src', 'main.js');
const PATH = '/v2.0/whois/live?format=json&domainName=example{n}.com';
/** As the gateway's README recommends; the peers run with the same. */
const FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=30'];
/** Kernel clock ticks are 10 ms on every Linux that Node supports. */
const TICK_US = 10_000;

interface Contender {
  name: string;
  child: ChildProcess;
  port: number;
  requests: Load['requests'];
}

/**
 * CPU time of the gateway's process for a request, everything on, against a bare proxy and the
 * off-the-shelf plugins. Each contender runs alone on the first core in turn, the rest of the world on
 * the second; the least of the rounds counts, as neighbours on the machine only ever add.
 */
export async function run(): Promise<BenchReport> {
  pin(process.pid, 1);
  await setup();
  const database = await TestDatabase.create();
  const around = new GatewayNeighbourhood(database);
  const children: ChildProcess[] = [];
  try {
    await around.start();
    const answer = deliveredAnswer('example.com');
    around.lookup.answer = () => answer;
    around.entitlement.defaultLimit = UNLIMITED;
    around.entitlement.defaultBalance = 10_000_000;
    const load = fork(join(HERE, 'load-client.js'));
    children.push(load);
    pin(load.pid!, 1);
    const rows = await measure(around, load, children);
    return {
      title: `gateway, CPU time of its process a request (${CONNECTIONS} connections, 3 KB answers, ${KEYS} keys)`,
      rows,
      notRun: ['nginx with Lua: not part of this machine'],
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await around.stop();
    await database.drop();
    await teardown();
  }
}

async function measure(
  around: GatewayNeighbourhood,
  load: ChildProcess,
  children: ChildProcess[],
): Promise<BenchRow[]> {
  const keys = Array.from({ length: KEYS }, () => around.account.addKey().apiKey);
  const asked: Load['requests'] = keys.map((apiKey) => ({ path: PATH, apiKey }));
  const start = async (name: string, file: string, requests = asked, env = {}) => {
    const contender = await startContender(name, file, {
      ...around.environment(`bench-${name}`),
      UPSTREAM_URL: around.lookup.url,
      BENCH_KEYS: JSON.stringify(keys),
      ...env,
    });
    children.push(contender.child);
    return { ...contender, requests };
  };
  const full = around.account.addKey();
  around.entitlement.limits.set(full.facts.accountId, 1);
  const bare = await start('bare Fastify and undici dispatch', join(HERE, 'bare-proxy.js'));
  // As on one machine in production: a Unix socket to lookup. The peers have no such choice.
  const socketPath = join(around.folder, 'lookup.sock');
  const onSocket = new LookupStandIn();
  onSocket.answer = around.lookup.answer;
  await onSocket.start(socketPath);
  const ours = await start('gateway', GATEWAY, asked, { LOOKUP_SOCKET: socketPath });
  const plugins = await start('http-proxy and rate-limit plugins', join(HERE, 'plugin-proxy.js'));
  const refusing = {
    ...ours,
    name: 'gateway, 429',
    requests: [{ path: PATH, apiKey: full.apiKey }],
  };
  const least = await leastMicroseconds(load, [bare, ours, plugins, refusing]);
  const [bareUs, oursUs, pluginsUs, refusedUs] = least;
  const added = await addedLatency(load, ours, around.lookup.url);
  plugins.child.kill('SIGKILL');
  bare.child.kill('SIGKILL');
  ours.child.kill('SIGKILL');
  await onSocket.stop();
  const memory = await memoryOfKeys(around, load, start);
  return [
    { what: 'bare Fastify and undici dispatch', value: bareUs, unit: 'µs' },
    { what: 'gateway, everything on', value: oursUs, unit: 'µs' },
    { what: '@fastify/http-proxy, rate-limit, key check', value: pluginsUs, unit: 'µs' },
    ratio('gateway of bare', bareUs / oursUs, 0.8),
    ratio('gateway of the plugins', pluginsUs / oursUs, 1.4),
    ratio('429 of a proxied request', oursUs / refusedUs, 2.2),
    ...added,
    memory,
  ];
}

function ratio(what: string, value: number, least: number): BenchRow {
  const percent = value * 100;
  return {
    what,
    value: percent,
    unit: '%',
    target: `≥ ${Math.round(least * 100)} %`,
    ok: value >= least,
  };
}

async function leastMicroseconds(load: ChildProcess, contenders: Contender[]): Promise<number[]> {
  const least = contenders.map(() => Infinity);
  // The first round warms up: keys are looked up, functions compiled.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [place, { child, port, requests, name }] of contenders.entries()) {
      const before = cpuUs(child.pid!);
      const result = await drive(load, {
        port,
        requests,
        connections: CONNECTIONS,
        durationMs: ROUND_MS,
        answersMax: Infinity,
      });
      const us = (cpuUs(child.pid!) - before) / result.answers;
      process.stderr.write(
        `  ${name}: ${us.toFixed(1)} µs, ${result.answers} ${JSON.stringify(result.byStatus)}\n`,
      );
      if (round > 0) least[place] = Math.min(least[place], us);
    }
  }
  return least;
}

/** At 5,000 requests a second, against the same questions sent to the upstream directly. */
async function addedLatency(
  load: ChildProcess,
  ours: Contender,
  upstreamUrl: string,
): Promise<BenchRow[]> {
  const calm = { connections: 32, durationMs: 5_000, answersMax: Infinity, ratePerSecond: 5_000 };
  const direct = await drive(load, {
    ...calm,
    port: Number(new URL(upstreamUrl).port),
    requests: [{ path: '/internal/whois/live?domainName=example{n}.com' }],
  });
  const through = await drive(load, { ...calm, port: ours.port, requests: ours.requests });
  const [p50, p99] = [through.p50Ms - direct.p50Ms, through.p99Ms - direct.p99Ms];
  const reached = (through.answers / through.elapsedMs) * 1000;
  return [
    { what: 'rate reached of 5,000', value: reached, unit: 'req/s' },
    { what: 'added latency, p50', value: p50, unit: 'ms', target: '≤ 0.5 ms', ok: p50 <= 0.5 },
    { what: 'added latency, p99', value: p99, unit: 'ms', target: '≤ 1.5 ms', ok: p99 <= 1.5 },
  ];
}

type Start = (name: string, file: string, requests: Load['requests']) => Promise<Contender>;

async function memoryOfKeys(
  around: GatewayNeighbourhood,
  load: ChildProcess,
  start: Start,
): Promise<BenchRow> {
  const requests = Array.from({ length: MEMORY_KEYS }, () => ({
    path: PATH,
    apiKey: around.account.addKey().apiKey,
  }));
  const gateway = await start('memory', GATEWAY, requests);
  const warmUp = { port: gateway.port, connections: CONNECTIONS, durationMs: 60_000 };
  // Compiled code and a young heap that has seen traffic belong to the idle process.
  await drive(load, { ...warmUp, requests: requests.slice(0, 1), answersMax: WARM_UP_ANSWERS });
  const idle = residentMb(gateway.child.pid!);
  const result = await drive(load, {
    port: gateway.port,
    requests,
    connections: CONNECTIONS,
    durationMs: 300_000,
    answersMax: MEMORY_KEYS,
  });
  const added = residentMb(gateway.child.pid!) - idle;
  process.stderr.write(`  memory: ${JSON.stringify(result.byStatus)} in ${result.elapsedMs} ms\n`);
  gateway.child.kill('SIGKILL');
  return {
    what: `resident memory added by ${MEMORY_KEYS} active keys`,
    value: added,
    unit: 'MB',
    target: '≤ 150 MB',
    ok: added <= 150,
  };
}

async function startContender(
  name: string,
  file: string,
  env: Record<string, string>,
): Promise<Omit<Contender, 'requests'>> {
  const child = fork(file, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'], execArgv: FLAGS });
  pin(child.pid!, 0);
  let [port, output] = [0, ''];
  child.on('message', (message: { port: number }) => (port = message.port));
  child.stdout!.on('data', (chunk: Buffer) => {
    // The gateway says where it listens in its log.
    if (port === 0) output += chunk.toString();
    const url = /"url":"([^"]+)"/.exec(output)?.[1];
    if (url) port = Number(new URL(url).port);
  });
  await waitFor(`${name} to listen`, () => port > 0, 20_000);
  return { name, child, port };
}

async function drive(client: ChildProcess, load: Load): Promise<LoadResult> {
  const answered = once(client, 'message') as Promise<[LoadResult]>;
  client.send({ ...load, answersMax: Math.min(load.answersMax, Number.MAX_SAFE_INTEGER) });
  const [result] = await answered;
  return result;
}

/** User and system time of a process with all its threads, in microseconds. */
function cpuUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

function pin(pid: number, core: number): void {
  spawnSync('taskset', ['-a', '-cp', String(core), String(pid)], { stdio: 'ignore' });
}
