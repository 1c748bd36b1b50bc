import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Logger, ServiceTokens, SystemClock, loadConfig, monotonicMs } from '#libs/platform';
import { type DomainLookup, type Lookup, Registries } from '#libs/resolvers';
import { LookupConfig } from '../../apps/lookup/src/lookup.config.js';
import { ObservationsService } from '../../apps/lookup/src/observations/observations.service.js';
import { openUpstreams } from '../../apps/lookup/src/upstreams.js';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';
import {
  type BenchOptions,
  type BenchReport,
  type BenchRow,
  atLeast,
  atMost,
  inLanes,
} from './bench.js';
import { cleanup } from './cleanup.js';
import type { Upstreams } from './lookups/registries.js';
import { tldsOver } from './lookups/zones.js';

/** `npm run bench lookups`: how fast registries and resolvers are queried. */
export async function measure({ isShort }: BenchOptions): Promise<BenchReport> {
  const part = isShort ? 0.2 : 1;
  const thread = new Worker(new URL('./lookups/registries.js', import.meta.url));
  cleanup.add(async () => thread.terminate());
  const [internet] = (await once(thread, 'message')) as [Upstreams];
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: HARNESS_SECRET,
    CORPUS_URL: internet.corpusUrl,
    LOOKUP_UPSTREAM_EXCEPTIONS: internet.upstreamExceptions,
    LOOKUP_EXTRA_CA_FILE: internet.caFile,
    LOOKUP_DNS_SERVERS: internet.dnsServers,
    LOOKUP_UPSTREAM_PER_SECOND: '10000',
  });
  const own = { clock: new SystemClock(), logger: new Logger('bench', process.stderr, 'error') };
  const { domains, dns, close } = await openUpstreams(config, Registries.vendored(), own);
  cleanup.add(close);
  const tokens = new ServiceTokens(HARNESS_SECRET, own.clock);
  const observations = new ObservationsService(config, tokens, own.logger);
  observations.onApplicationBootstrap();
  cleanup.add(async () => observations.onModuleDestroy());
  const of = async (label: string, tlds: readonly string[], note?: (lookup: Lookup) => void) =>
    rates(10_000 * part, 100, async (at) => {
      const lookup = await delivered(domains, `${label}${at}.${tlds[at % tlds.length]}`);
      note?.(lookup);
    });
  const port43 = await of('name', tldsOver('port 43'));
  const observed = await of('seen', tldsOver('port 43'), (lookup) =>
    observations.noteWhois(lookup),
  );
  if (observations.counts.handedOver === 0) throw new Error('no observation reached the corpus');
  const added = (port43.own / observed.own - 1) * 100;
  const rdap = await of('name', tldsOver('rdap').slice(0, 1));
  const answers = await rates(60_000 * part, 1_000, async (at) => {
    const answer = await dns.ask(`name${at}.example.com`, 'A', { timeoutMs: 30_000 });
    if (answer.answers.length === 0) throw new Error('no answer');
  });
  return {
    title: 'lookups: against simulated registries in a thread of the same process',
    rows: [
      ...rateRows('port 43: lookups, parsed', port43, 3_000),
      atMost('port 43: processor time added by handing each answer to a corpus', added, 10, '%'),
      ...rateRows('RDAP over TLS: lookups, parsed', rdap, 3_000),
      ...rateRows('DNS answers over UDP', answers, 25_000),
    ],
  };
}

/**
 * Measures operations per second of wall-clock time, and per second of this thread's processor time, which excludes
 * other processes.
 */
async function rates(count: number, width: number, work: (at: number) => Promise<unknown>) {
  const from = (first: number, some: number) => Array.from({ length: some }, (_, n) => first + n);
  await inLanes(from(count, count / 10), width, work);
  const begunMs = monotonicMs();
  const cpu = process.threadCpuUsage();
  await inLanes(from(0, count), width, work);
  const { user, system } = process.threadCpuUsage(cpu);
  const wall = Math.round(count / ((monotonicMs() - begunMs) / 1_000));
  return { wall, own: Math.round(count / ((user + system) / 1e6)) };
}

function rateRows(what: string, { wall, own }: { wall: number; own: number }, least: number) {
  return [
    atLeast(`${what}, per second of processor time`, own, least, '/s'),
    { what: `${what}, per second of wall-clock time`, value: wall, unit: '/s' } as BenchRow,
  ];
}

async function delivered(domains: DomainLookup, name: string): Promise<Lookup> {
  const lookup = await domains.lookup(name, { budgetMs: 60_000 });
  const { outcome, sources } = lookup;
  if (outcome !== 'delivered') throw new Error(`${name}: ${outcome} ${sources[0]?.error}`);
  return lookup;
}
