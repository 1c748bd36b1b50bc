import { loadConfig, Logger, ServiceTokens, SystemClock } from '#libs/platform';
import { Registries } from '#libs/resolvers';
import { LookupConfig } from '../../../apps/lookup/src/lookup.config.js';
import { startLookup } from '../../../apps/lookup/src/start.js';
import { cleanup } from '../cleanup.js';
import type { StubCounts } from './stub-upstreams.js';

const SECRET = 'a secret between services, long enough';
const NAMES = 100;

/**
 * Milliseconds from the first answer of a registry to the first line of a bulk of 100 names, in a lookup service
 * over HTTP: the median of five.
 */
export async function bulkFirstLineMs(
  port: number,
  counts: () => Promise<StubCounts>,
): Promise<number> {
  const { tld, whoisServer } = Registries.vendored()
    .routes()
    .find((route) => route.rdapBaseUrl === undefined && route.whoisServer !== undefined)!;
  const clock = new SystemClock();
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: SECRET,
    LOOKUP_PORT: '0',
    LOOKUP_UPSTREAM_EXCEPTIONS: `${whoisServer}:43=127.0.0.1:${port}`,
    LOOKUP_UPSTREAM_PER_SECOND: '10000',
  });
  const service = await startLookup({ config, clock, logger: new Logger('bench') });
  cleanup.add(() => service.stop());
  const tokens = new ServiceTokens(SECRET, clock);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const rest = Array.from({ length: NAMES - 1 }, (_, at) => `later${round}-${at}.${tld}`);
    const response = await fetch(`${service.url}/internal/whois/bulk`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`,
        accept: 'application/x-ndjson',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ domainNames: [`first${round}.${tld}`, ...rest] }),
    });
    const reader = response.body!.getReader();
    await reader.read();
    const readAtNs = process.hrtime.bigint();
    const { firstAnsweredAtNs } = await counts();
    times.push(Number(readAtNs - firstAnsweredAtNs) / 1e6);
    await reader.cancel();
  }
  return times.toSorted((a, b) => a - b)[2];
}
