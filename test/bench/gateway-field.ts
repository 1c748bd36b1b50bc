import { join } from 'node:path';
import { TestDatabase } from '#test/environment';
import { GatewayHarness } from '../stand-ins/gateway-harness.js';
import { openPostgres, openService } from './bench.js';
import { cleanup } from './cleanup.js';
import { pin } from './machine.js';
import { hasNginx, startUpstream } from './nginx.js';
import { hasWrk } from './wrk.js';

export const ANSWER_BYTES = 3_017;
export const KEYS = 1_000;
export const CONNECTIONS = 64;
export const UNLIMITED = 1_000_000;
/** The flags of `npm run start:gateway`, which peers on Node also use. */
export const NODE_FLAGS = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=30',
  '--v8-pool-size=1',
];
export const gatewayBenchMissing =
  hasWrk && hasNginx ? undefined : 'needs wrk, nginx-light, libnginx-mod-http-lua, lua-resty-core';
export const LOOKUP_PATH = '/v2.0/whois/live?format=json&domainName=example{n}.com';

/** The environment of a measured gateway: stand-ins for services, customers without limits, and an upstream. */
export interface GatewayField {
  around: GatewayHarness;
  keys: string[];
  upstreamPort: number;
  /** A Unix socket of the same upstream. The gateway uses one for a lookup service on its own machine. */
  socketPath: string;
}

export async function openGatewayField(): Promise<GatewayField> {
  await openPostgres(false);
  const database = await TestDatabase.create();
  cleanup.add(async () => database.drop());
  const around = new GatewayHarness(database);
  cleanup.add(async () => around.stop());
  await around.start();
  around.entitlement.defaultLimit = UNLIMITED;
  around.entitlement.defaultBalance = 100_000_000;
  const keys = Array.from({ length: KEYS }, () => around.account.addKey().apiKey);
  const socketPath = join(around.folder, 'lookup.sock');
  const upstream = await startUpstream(around.folder, { body: answerBody(), socketPath });
  return { around, keys, upstreamPort: upstream.port, socketPath };
}

/** @param core the core to which the gateway is bound; by default, the gateway may use every core. */
export async function startGateway(
  { around, socketPath }: GatewayField,
  { name, settings, core }: { name: string; settings?: Record<string, string>; core?: number },
): Promise<{ pid: number; port: number }> {
  const environment = { ...around.environment(`bench-${name}`), LOOKUP_SOCKET: socketPath };
  const gateway = await openService('gateway', { ...environment, ...settings }, NODE_FLAGS);
  if (core !== undefined) pin(gateway.pid, core);
  return { pid: gateway.pid, port: Number(new URL(gateway.addresses.apiUrl).port) };
}

function answerBody(): string {
  const body = { status: true, domain_name: 'example.com', whois_raw_domain: '' };
  body.whois_raw_domain = 'x'.repeat(ANSWER_BYTES - JSON.stringify(body).length);
  return JSON.stringify(body);
}
