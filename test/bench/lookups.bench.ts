import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
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
  parseWhois,
} from '#libs/resolvers';
import { monotonicMs } from '#libs/platform';
import { registryLayout } from '../../apps/simulators/src/registry/layouts/by-tld.js';
import { registrationOf } from '../../apps/simulators/src/registrations/registration.js';
import { type BenchReport, type BenchRow, atLeast, atMost, inLanes, percentile } from './bench.js';
import { cleanup } from './cleanup.js';
import { bulkFirstLineMs } from './lookups/bulk-first-line.js';
import type { StubCounts, StubPorts, StubTerms } from './lookups/stub-upstreams.js';

const RDAP_HOST = 'rdap.nic.bench';
const WHOIS_HOST = 'whois.nic.bench';
const SLOW_UPSTREAMS = 1_000;
const EQUAL_QUESTIONS = 10_000;
const PARSED_BYTES = 3_000;
const PARSED_TLDS = 'com shop fr ch se at au be br cz de dk eu it jp nl no pl uk su'.split(' ');
const PARSE_RUNS = 4;
const ROUNDS = 3;
const WIDE = { buckets: [{ burst: 1e6, perSecond: 1e6 }], connections: 128 };

let stub: Worker;
let ports: StubPorts;

/** `npm run bench lookups`: how fast registries, resolvers and the parser are worked with, and what slow ones cost. */
export async function run(
  _figures?: string[],
  { isShort } = { isShort: false },
): Promise<BenchReport> {
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
    ...parseTimes(5_000 * part),
    await equalQuestions(lookups),
    ...(await slowUpstreams(lookups, 1_500 * part)),
  ];
  const first = await bulkFirstLineMs(ports.uneven, () => countsOf(stub));
  rows.push(atMost('bulk of 100 names: first line after its first answer', first, 50, 'ms'));
  return { title: 'lookups: against stubs in a thread of the same process', rows };
}

function openLookups(extraCaPem: string): DomainLookup {
  const slow = Array.from({ length: SLOW_UPSTREAMS }, (_, at) => `whois.slow${at}.bench`);
  const exception = (host: string, port: number, addressPort: number) => ({
    host,
    port,
    address: '127.0.0.1',
    addressPort,
  });
  const connector = new SafeConnector({
    exceptions: [
      exception(WHOIS_HOST, 43, ports.whois),
      exception(RDAP_HOST, 443, ports.rdap),
      ...slow.map((host) => exception(host, 43, ports.silent)),
    ],
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
      whois: {
        [WHOIS_HOST]: ['whoisbench'],
        ...Object.fromEntries(slow.map((host, at) => [host, [`slow${at}`]])),
      },
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

/** How many a second by the wall clock, and of this thread's own processor time, on which nobody else is counted. */
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
    atLeast(`${what}, a second of processor time`, own, least, '/s'),
    { what: `${what}, a second of the wall clock`, value: wall, unit: '/s' },
  ];
}

async function delivered(lookups: DomainLookup, name: string): Promise<void> {
  const { outcome, sources } = await lookups.lookup(name, { budgetMs: 60_000 });
  if (outcome !== 'delivered') throw new Error(`${name}: ${outcome} ${sources[0]?.error}`);
}

async function exchanges(lookups: DomainLookup, part: number): Promise<BenchRow[]> {
  const of = async (tld: string) =>
    rates(10_000 * part, 100, (at) => delivered(lookups, `name${at}.${tld}`));
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

/** Each answer counts with the least of its runs: what a neighbour on the machine or a collection adds is not the parser's. */
function parseTimes(answers: number): BenchRow[] {
  const times: number[] = [];
  for (let at = 0; at < answers; at += 1) {
    const tld = PARSED_TLDS[at % PARSED_TLDS.length];
    const domain = `sample-shop-${at}.${tld}`;
    const layout = registryLayout(tld).found(registrationOf(domain));
    const text = `${layout}\n${'Terms of use apply to this answer.\n'.repeat(90)}`;
    const context = { domain, server: '', tld, role: 'registry' } as const;
    const runs = Array.from({ length: PARSE_RUNS }, () => {
      const begunMs = monotonicMs();
      parseWhois(text.slice(0, PARSED_BYTES), context);
      return monotonicMs() - begunMs;
    });
    // The first ones are compiled while they run.
    if (at >= answers / 10) times.push(Math.min(...runs));
  }
  return [
    { what: 'parse of 3 KB, p50', value: percentile(times, 0.5), unit: 'ms' },
    atMost('parse of 3 KB, p99', percentile(times, 0.99), 1, 'ms'),
  ];
}

async function countsOf(worker: Worker): Promise<StubCounts> {
  worker.postMessage('counts');
  return ((await once(worker, 'message')) as [StubCounts])[0];
}

async function equalQuestions(lookups: DomainLookup): Promise<BenchRow> {
  const { whois: before } = await countsOf(stub);
  const ask = async () => delivered(lookups, 'everybody-asks.whoisbench');
  await Promise.all(Array.from({ length: EQUAL_QUESTIONS }, ask));
  const { whois: after } = await countsOf(stub);
  return atMost('10,000 equal questions at a time: asked upstream', after - before, 1, '×');
}

/** The cost of 1,000 upstreams that take the question and never answer, and the delay of others beside them. */
async function slowUpstreams(lookups: DomainLookup, count: number): Promise<BenchRow[]> {
  let asked = 0;
  const p99 = async () => {
    const work = () => delivered(lookups, `fast${(asked += 1)}.whoisbench`);
    return percentile(await inParallel(count, 20, work), 0.99);
  };
  const [alone, beside, bytes]: number[][] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await p99());
    const before = process.memoryUsage().rss;
    const gone = new AbortController();
    const hanging = Array.from({ length: SLOW_UPSTREAMS }, (_, at) =>
      lookups.lookup(`round${round}.slow${at}`, { signal: gone.signal }).catch(() => {}),
    );
    while ((await countsOf(stub)).hanging < SLOW_UPSTREAMS) await sleep(10);
    beside.push(await p99());
    bytes.push(process.memoryUsage().rss - before);
    gone.abort();
    await Promise.all(hanging);
    while ((await countsOf(stub)).hanging > 0) await sleep(10);
  }
  // Neighbours on the machine only ever add: the least of the rounds counts.
  const ratio = Math.min(...beside) / Math.min(...alone);
  return [
    atMost('1,000 slow upstreams: memory', Math.round(Math.max(...bytes) / 1_048_576), 300, 'MB'),
    atMost('p99 of others beside them ÷ alone', ratio, 2, '×'),
  ];
}
