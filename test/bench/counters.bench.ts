import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CounterId, type RateLimiter, openCounters } from '#libs/counters';
import { Logger, newId } from '#libs/platform';
import { ValkeyServer, valkeyAvailability } from '#test/environment';
import type { BenchReport } from './bench.js';
import { cleanup } from './cleanup.js';

const ACCOUNTS = 200;
const TAKES = 100_000;
/** Under this a minute each request is a call. */
const STRICT_LIMIT = 59;
const SLICED_LIMIT = 60_000;

/** What a request's turn at the window costs: processor time of this process, the least of three rounds. */
async function cpuMicros(rateLimiter: RateLimiter, limit: number, takes: number): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 3; round++) {
    const ids = Array.from({ length: ACCOUNTS }, () => new CounterId(newId()));
    const before = process.cpuUsage();
    for (let sent = 0; sent < takes; sent += ACCOUNTS) {
      for (const id of ids) {
        const answer = rateLimiter.take(id, 0, limit);
        if (answer instanceof Promise) await answer;
      }
      // Answers of the server are taken in between, as between requests.
      if (sent % (ACCOUNTS * 10) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / takes);
  }
  return Math.min(...rounds);
}

/** `npm run bench counters`: memory, slices, and one call a request, as ratios. */
export async function run(): Promise<BenchReport> {
  const title = 'counters: processor time of one request at the window';
  const reason = valkeyAvailability();
  if (reason !== undefined) return { title, rows: [], notRun: [reason] };
  const folder = mkdtempSync(join(tmpdir(), 'dds-bench-'));
  cleanup.add(async () => rmSync(folder, { recursive: true, force: true }));
  const server = await ValkeyServer.start({ folder });
  cleanup.add(() => server.stop());
  const common = { secret: 'bench', logger: new Logger('bench', { write: () => {} }) };
  const memory = await openCounters({ ...common, gatewayId: newId() });
  const valkey = await openCounters({
    ...common,
    gatewayId: newId(),
    url: server.url,
    timeoutMs: 1_000,
  });
  cleanup.add(() => valkey.close());
  const inMemory = await cpuMicros(memory.rateLimiter, SLICED_LIMIT, TAKES);
  const sliced = await cpuMicros(valkey.rateLimiter, SLICED_LIMIT, TAKES);
  const called = await cpuMicros(valkey.rateLimiter, STRICT_LIMIT, ACCOUNTS * 40);
  return {
    title,
    rows: [
      { what: 'in memory', value: inMemory, unit: 'µs' },
      { what: 'slices of Valkey', value: sliced, unit: 'µs' },
      { what: 'one call a request', value: called, unit: 'µs' },
      { what: 'slices ÷ memory', value: sliced / inMemory, unit: '×' },
      { what: 'one call ÷ slices', value: called / sliced, unit: '×' },
    ],
  };
}
