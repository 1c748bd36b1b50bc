import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type RequestListener, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InternalTls, Logger } from '#libs/platform';
import { OwnAuthority } from '#test/environment';
import { LookupPool } from '../../apps/gateway/src/lookup/lookup-pool.js';
import type { BenchReport } from './bench.js';
import { cleanup } from './cleanup.js';

const ROUNDS = 6;
const CALLS = 20_000;
const AT_A_TIME = 64;
const HANDSHAKES = 500;
const ANSWER = JSON.stringify({ answer: 'x'.repeat(3_000) });
const REQUEST = 'GET /internal/whois/live?domainName=name.example HTTP/1.1\r\nHost: lookup\r\n\r\n';

/** Processor time of both ends in microseconds: they share this process. */
async function cpuMicros(work: () => Promise<unknown>, count: number): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function ask(pool: LookupPool): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = { request: REQUEST, waitedTicks: 0, isAbandoned: false };
    pool.ask({ ...call, onAnswer: () => resolve(), onFault: reject });
  });
}

async function calls(pool: LookupPool, count: number, atATime = AT_A_TIME): Promise<void> {
  let left = count;
  const caller = async () => {
    while (left-- > 0) await ask(pool);
  };
  await Promise.all(Array.from({ length: atATime }, caller));
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.add(async () => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** `npm run bench tls`: the gateway's calls to lookup, plain and with a certificate on both sides, in turn. */
export async function run(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'dds-bench-'));
  cleanup.add(async () => rmSync(folder, { recursive: true, force: true }));
  const authority = new OwnAuthority(folder);
  const logger = new Logger('bench', { write: () => {} });
  const { listenerOptions } = new InternalTls(authority.issue('lookup'), logger);
  const tls = new InternalTls(authority.issue('gateway'), logger);
  const answer: RequestListener = (_request, response) => {
    const length = String(ANSWER.length);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
    response.end(ANSWER);
  };
  const plainPort = await listen(createServer(answer));
  const tlsPort = await listen(createTlsServer(listenerOptions, answer));
  const open = {
    plain: () => new LookupPool({ url: `http://127.0.0.1:${plainPort}`, timeoutMs: 60_000 }),
    mutual: () => new LookupPool({ url: `https://127.0.0.1:${tlsPort}`, tls, timeoutMs: 60_000 }),
  };
  const measured: Record<keyof typeof open, number[]> = { plain: [], mutual: [] };
  const pools = { plain: open.plain(), mutual: open.mutual() };
  for (const pool of Object.values(pools)) await calls(pool, CALLS / 10);
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ['plain', 'mutual'] as const) {
      measured[way].push(await cpuMicros(() => calls(pools[way], CALLS), CALLS));
    }
  }
  for (const pool of Object.values(pools)) pool.close();
  const handshakes = await cpuMicros(async () => {
    for (let n = 0; n < HANDSHAKES; n++) {
      const pool = open.mutual();
      await ask(pool);
      pool.close();
    }
  }, HANDSHAKES);
  const [plain, mutual] = [Math.min(...measured.plain), Math.min(...measured.mutual)];
  return {
    title: 'calls between services: processor time of both ends',
    rows: [
      { what: 'a call on a kept connection, plain', value: plain, unit: 'µs' },
      { what: 'a call on a kept connection, mutual TLS', value: mutual, unit: 'µs' },
      { what: 'mutual TLS adds', value: mutual - plain, unit: 'µs' },
      {
        what: 'a new connection with mutual TLS and its first call',
        value: handshakes,
        unit: 'µs',
      },
    ],
  };
}
