import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import {
  CertificateAuthority,
  DnsClient,
  DomainLookup,
  ParserWorker,
  Port43Client,
  RdapClient,
  Registries,
  SafeConnector,
  UpstreamLimiter,
} from '#libs/resolvers';
import { monotonicMs } from '#libs/platform';
import { type BenchOptions, type BenchReport, type BenchRow, atLeast, inLanes } from './bench.js';
import { cleanup } from './cleanup.js';
import type { StubPorts, StubTerms } from './lookups/stub-upstreams.js';

const RDAP_HOST = 'rdap.nic.bench';
const WHOIS_HOST = 'whois.nic.bench';
const WIDE = { buckets: [{ burst: 1e6, perSecond: 1e6 }], connections: 128 };

let stub: Worker;
let ports: StubPorts;

/** Measures how fast registries and resolvers are queried (`npm run bench lookups`). */
export async function measure({ isShort }: BenchOptions): Promise<BenchReport> {
  const authority = new CertificateAuthority();
  const { keyPem, certificatePem } = authority.certificateFor([RDAP_HOST]);
  const workerData: StubTerms = { keyPem, certificatePem };
  stub = new Worker(new URL('./lookups/stub-upstreams.js', import.meta.url), { workerData });
  cleanup.add(async () => stub.terminate());
  [ports] = (await once(stub, 'message')) as [StubPorts];
  const lookups = openLookups(authority.certificatePem);
  const part = isShort ? 0.2 : 1;
  const rows: BenchRow[] = [
    ...(await exchanges(lookups, part)),
    ...(await dnsAnswers(60_000 * part)),
  ];
  return { title: 'lookups: against stubs in a thread of the same process', rows };
}

function openLookups(extraCaPem: string): DomainLookup {
  const exception = (host: string, port: number, addressPort: number) => ({
    host,
    port,
    address: '127.0.0.1',
    addressPort,
  });
  const connector = new SafeConnector({
    exceptions: [exception(WHOIS_HOST, 43, ports.whois), exception(RDAP_HOST, 443, ports.rdap)],
    extraCaPem,
  });
  const rdap = new RdapClient(connector);
  const parser = new ParserWorker();
  cleanup.add(async () => Promise.all([rdap.close(), parser.close()]));
  return new DomainLookup({
    registries: new Registries({
      publishedOn: '2026-11-01',
      portsReadOn: '2026-11-01',
      rdap: { [`https://${RDAP_HOST}/`]: ['rdapbench'] },
      whois: { [WHOIS_HOST]: ['whoisbench'] },
      tlds: [],
    }),
    rdap,
    port43: new Port43Client(connector),
    limiter: new UpstreamLimiter({ defaultLimit: WIDE, waitersMax: 100_000 }),
    parser,
    clock: { now: () => new Date() },
  });
}

const inParallel = (count: number, width: number, work: (at: number) => Promise<void>) =>
  inLanes(Array.from({ length: count }).keys(), width, work);

/** Measures operations per second of wall-clock time, and per second of this thread's CPU time (`own`). */
async function rates(count: number, width: number, work: (at: number) => Promise<void>) {
  await inParallel(count / 10, width, work);
  const begunMs = monotonicMs();
  const cpu = process.threadCpuUsage();
  await inParallel(count, width, (at) => work(at + count));
  const { user, system } = process.threadCpuUsage(cpu);
  const wall = Math.round(count / ((monotonicMs() - begunMs) / 1_000));
  return { wall, own: Math.round(count / ((user + system) / 1e6)) };
}

function rateRows(what: string, { wall, own }: { wall: number; own: number }, least: number) {
  return [
    atLeast(`${what}, per second of CPU time`, own, least, '/s'),
    { what: `${what}, per second of wall-clock time`, value: wall, unit: '/s' },
  ];
}

async function delivered(lookups: DomainLookup, name: string): Promise<void> {
  const { outcome, sources } = await lookups.lookup(name, { budgetMs: 60_000 });
  if (outcome !== 'delivered') throw new Error(`${name}: ${outcome} ${sources[0]?.error}`);
}

async function exchanges(lookups: DomainLookup, part: number): Promise<BenchRow[]> {
  const of = async (tld: string) =>
    rates(10_000 * part, 100, async (at) => delivered(lookups, `name${at}.${tld}`));
  return [
    ...rateRows('port 43: lookups, parsed', await of('whoisbench'), 3_000),
    ...rateRows('RDAP over TLS: lookups, parsed', await of('rdapbench'), 3_000),
  ];
}

async function dnsAnswers(count: number): Promise<BenchRow[]> {
  const dns = new DnsClient({ servers: [`127.0.0.1:${ports.dns}`] });
  cleanup.add(() => dns.close());
  const rate = await rates(count, 1_000, async (at) => {
    const { answers } = await dns.ask(`name${at}.example.com`, 'A', { timeoutMs: 30_000 });
    if (answers.length !== 1) throw new Error('no answer');
  });
  return rateRows('DNS answers over UDP', rate, 25_000);
}
