import { join } from 'node:path';
import { ValkeyServer } from '#test/environment';
import { type BenchReport, atLeast, leastOf, percentile } from '../bench.js';
import { cleanup } from '../cleanup.js';
import { type Contender, cpuOfAll } from '../contender.js';
import {
  CONNECTIONS,
  type GatewayField,
  gatewayBenchMissing,
  openGatewayField,
  startGateway,
} from '../gateway-field.js';

const ROUNDS = 8;
// Each process compiles its own code, and each of two gateways answers only half of the requests.
const WARM_UPS = 4;
const ROUND_MS = 3_000;
const LEAST = 1.7;

/**
 * Measures the gain of the second core: twice the CPU time per request of one gateway, divided by that of two gateways
 * on one port, including their Valkey. Neither gateways nor Valkey are bound to a core, and each of the two gateways
 * has as many connections as the one gateway.
 */
export async function measure(): Promise<BenchReport> {
  const title = 'two-cores: the gain of a second core';
  if (gatewayBenchMissing) return { title, rows: [], notRun: [gatewayBenchMissing] };
  const field = await openGatewayField();
  const contenders = [await oneGateway(field), await twoGateways(field)];
  const times = { warmUps: WARM_UPS, rounds: ROUNDS, durationMs: ROUND_MS };
  const [one, two] = await cpuOfAll(field, contenders, times);
  const value = (2 * Math.min(...one)) / Math.min(...two);
  const ratios = one.map((us, round) => (2 * us) / two[round]);
  const rows = [
    leastOf('CPU per request, one gateway', one, 'µs'),
    leastOf('CPU per request, two gateways on one port, with Valkey', two, 'µs'),
    {
      ...atLeast('two cores: 2 × CPU of one ÷ of two', value, LEAST),
      median: percentile(ratios, 0.5),
    },
  ];
  return { title, rows };
}

async function oneGateway(field: GatewayField): Promise<Contender> {
  const gateway = await startGateway(field, { name: 'cores-1.journal' });
  return { name: 'one gateway', ...gateway, keys: field.keys, expected: 200 };
}

async function twoGateways(field: GatewayField): Promise<Contender> {
  const valkey = await ValkeyServer.start({ folder: join(field.around.folder, 'valkey') });
  cleanup.add(async () => valkey.stop());
  const shared = { GATEWAY_REUSE_PORT: 'true', VALKEY_URL: valkey.url };
  const first = await startGateway(field, { name: 'cores-2a.journal', settings: shared });
  const settings = { ...shared, API_PORT: String(first.port) };
  const second = await startGateway(field, { name: 'cores-2b.journal', settings });
  const furtherPids = [second.pid, valkey.pid];
  const connections = 2 * CONNECTIONS;
  const { keys } = field;
  return { name: 'two gateways', ...first, furtherPids, connections, keys, expected: 200 };
}
