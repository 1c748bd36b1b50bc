import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { TestDatabase, waitFor } from '#libs/testing';
import setup from '../environment/setup.js';
import teardown from '../environment/teardown.js';
import { GatewayNeighbourhood } from '../stand-ins/gateway-neighbourhood.js';
import { type BenchRow, percentile } from './bench.js';
import { cleanup } from './cleanup.js';
import { cpuUs } from './machine.js';
import { startUpstream } from './nginx.js';
import { driveWrk } from './wrk.js';

const ROUNDS = 8;
/** Each thread compiles for itself. */
const WARM_UPS = 2;
const ROUND_MS = 3_000;
const KEYS = 1_000;
const CONNECTIONS = 64;
const ANSWER_BYTES = 3_017;
const UNLIMITED = 1_000_000;
const LEAST = 1.7;
const MAIN = join(import.meta.dirname, '..', '..', 'apps', 'gateway', 'src', 'main.js');
const FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=30', '--single-threaded-gc'];
const PATH = '/v2.0/whois/live?format=json&domainName=example{n}.com';

/**
 * What the second core brings: twice the CPU time a request of one thread ÷ that of two. Nothing is
 * bound to a core, both have the same load in turn; wrk and nginx (of Debian) are needed.
 */
export async function measure(): Promise<BenchRow[]> {
  const environment = setup();
  cleanup.add(async () => {
    await environment.catch(() => {});
    await teardown();
  });
  await environment;
  const database = await TestDatabase.create();
  cleanup.add(async () => database.drop());
  const around = new GatewayNeighbourhood(database);
  cleanup.add(async () => around.stop());
  await around.start();
  around.entitlement.defaultLimit = UNLIMITED;
  around.entitlement.defaultBalance = 100_000_000;
  const keys = Array.from({ length: KEYS }, () => around.account.addKey().apiKey);
  const socketPath = join(around.folder, 'lookup.sock');
  const body = JSON.stringify({ status: true, whois_raw_domain: 'x'.repeat(ANSWER_BYTES - 39) });
  await startUpstream(around.folder, { body, socketPath });
  const contenders = [
    await startGateway(around, 1, socketPath),
    await startGateway(around, 2, socketPath),
  ];
  const cpu: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
    for (const [place, { pid, port }] of contenders.entries()) {
      const before = cpuUs(pid);
      const load = { port, path: PATH, keys, connections: CONNECTIONS, durationMs: ROUND_MS };
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

async function startGateway(around: GatewayNeighbourhood, threads: number, socketPath: string) {
  const environment = {
    ...around.environment(`cores-${threads}.journal`),
    GATEWAY_THREADS: String(threads),
    LOOKUP_SOCKET: socketPath,
  };
  const child = spawn(process.execPath, [...FLAGS, MAIN], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanup.add(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString().slice(0, 10_000)));
  const apiUrl = await waitFor(
    'the gateway',
    () => /"msg":"gateway is up"[^\n]*/.test(output) && /"apiUrl":"([^"]+)"/.exec(output)?.[1],
    60_000,
  );
  return { pid: child.pid!, port: Number(new URL(apiUrl).port) };
}
