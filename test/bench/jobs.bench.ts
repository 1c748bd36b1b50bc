import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { type FilesAnswer, type JobAnswer, ServiceHttp, type UploadAnswer } from '#libs/contracts';
import { DAY_MS, ServiceTokens, SystemClock, monotonicMs, newId } from '#libs/platform';
import { Registries } from '#libs/resolvers';
import { TestDatabase, makeOwnFolder, waitFor } from '#test/environment';
import { ServiceProcess } from '../../apps/cluster/src/processes/service-process.js';
import { hasRegistrarHop } from '../../apps/simulators/src/registry/layouts/by-tld.js';
import { RegistrySimulator } from '../../apps/simulators/src/registry/registry-simulator.js';
import { CorpusUnderTest } from '../corpus/corpus-under-test.js';
import { AccountContacts } from '../stand-ins/account-contacts.js';
import { EntitlementStandIn } from '../stand-ins/entitlement-stand-in.js';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';
import { CorpusStandIn } from '../worker/corpus-stand-in.js';
import { QuestionsStandIn } from '../worker/questions-stand-in.js';
import {
  type BenchOptions,
  type BenchReport,
  type BenchRow,
  atLeast,
  atMost,
  openPostgres,
} from './bench.js';
import { cleanup } from './cleanup.js';
import { liveBesideJob } from './live-beside-job.js';
import { cpuUs } from './machine.js';

const NAMES = 3_000_000;
/** The figures that use registries, resolvers or the corpus. */
const LOOKED_UP = { whois: 60_000, dns: 120_000, corpus: 60_000 };
/**
 * Each top-level domain has its own registry, so that the rate limit of a registry does not affect the figures. The
 * registries answer on port 43, which costs a simulator least. They have no registrars, because the simulator has only
 * four.
 */
const TLDS = tldsOfUpstreams();
/** A record that is about as long as a real one. */
const RECORD = {
  create_date: '2026-11-23',
  expiry_date: '2027-11-23',
  domain_registrar: { iana_id: '292', registrar_name: 'MarkMonitor Inc.' },
  registrant_contact: {
    name: 'Ada Lovelace',
    company: 'Analytical Engines Ltd',
    street: '12 St James Square',
    city: 'London',
    zip_code: 'SW1Y 4JH',
    country_code: 'GB',
    email_address: 'ada@engines.example',
    phone: '+442079460000',
  },
  name_servers: ['ns1.engines.example', 'ns2.engines.example'],
  domain_status: ['client transfer prohibited'],
};
/** The Node options that the chart sets. */
const WORKER_OPTIONS = ['--max-semi-space-size=8', '--heap-growing-percent=30'];
const KNOWN_AT_ONCE = 2_000;
/** The number of rows in one database file. */
const FILE_ROWS = 300_000;
/** The keys of the names are spread over all 64 bits, because files are read in ranges of keys. */
const KEY_STEP = 2 ** 45;
const SMALL = 100;
const MOST = 0.9;
const LINES_A_PIECE = 10_000;
const LIMIT_MS = 3_600_000;
const POLL_MS = 200;

/** Sends three million names through a worker in a separate process (`npm run bench jobs`). */
export const FIGURES: Record<string, (part: number) => Promise<BenchRow[]>> = {
  'stand-in': (part) => withStandIn(NAMES * part),
  upstreams: throughLookup,
  files: (part) => databaseFile(FILE_ROWS * part),
};

export async function measure({ isShort, figure }: BenchOptions): Promise<BenchReport> {
  await openPostgres(false);
  const short = figure === 'stand-in' ? 0.02 : 0.1;
  const rows = await FIGURES[figure](isShort ? short : 1);
  return {
    title: `jobs, ${figure}: a worker in a separate process, everything on one machine`,
    rows,
  };
}

async function withStandIn(names: number): Promise<BenchRow[]> {
  const lookup = new QuestionsStandIn();
  await lookup.start();
  cleanup.add(() => lookup.stop());
  const bench = await BenchWorker.start({ LOOKUP_URL: lookup.url });
  const atStartMb = bench.largestMb();
  const [accountId, other] = [newId(), newId()];
  const begunMs = monotonicMs();
  const uploadId = await bench.upload(accountId, names);
  const job = await bench.begin(accountId, 'whois', { upload_id: uploadId });
  await bench.until(accountId, job, ({ state }) => state !== 'queued');
  const queuedMs = monotonicMs();
  const domainNames = Array.from({ length: SMALL }, (_, n) => `small-${n}.com`);
  const small = await bench.begin(other, 'whois', { domainNames });
  await bench.end(other, small);
  const smallMs = monotonicMs();
  const { counts } = await bench.end(accountId, job);
  const [doneMs, charged] = [monotonicMs(), bench.entitlement.charged(accountId)];
  if (counts.delivered !== names || charged !== names) throw new Error(`${charged} of ${names}`);
  const seconds = (fromMs: number, toMs: number) => (toMs - fromMs) / 1_000;
  const of = `${names} names`;
  return [
    atMost(`${of}: uploaded, counted, split and waiting`, seconds(begunMs, queuedMs), 30, 's'),
    atMost(`${of}: done, with a stand-in for lookup`, seconds(queuedMs, doneMs), 240, 's'),
    atMost(
      `${SMALL} names of another customer at the same time`,
      seconds(queuedMs, smallMs),
      10,
      's',
    ),
    { what: 'the worker after its start', value: atStartMb, unit: 'MB' },
    atMost('the worker at its largest', bench.largestMb(), 256, 'MB'),
  ];
}

async function throughLookup(part: number): Promise<BenchRow[]> {
  const lookup = await lookupBesideRegistries();
  const corpus = await CorpusUnderTest.start();
  cleanup.add(() => corpus.stop());
  const bench = await BenchWorker.start({ LOOKUP_URL: lookup.url, CORPUS_URL: corpus.url });
  const rate = async (kind: 'whois' | 'dns', count: number, order: object) => {
    const accountId = newId();
    const upload_id = await bench.upload(accountId, count);
    // The tokens use the worker's own clock.
    corpus.clock.set(new Date());
    const begunMs = monotonicMs();
    const job = await bench.begin(accountId, kind, { upload_id, ...order });
    // Excludes items that wait for a minute because a server on this busy machine did not answer in time.
    const isMost = ({ counts }: JobAnswer) => counts.delivered >= count * MOST;
    const { counts } = await bench.until(accountId, job, isMost);
    const seconds = (monotonicMs() - begunMs) / 1_000;
    await bench.cancel(accountId, job);
    return counts.delivered / seconds;
  };
  const whois = await rate('whois', LOOKED_UP.whois * part, {});
  const dns = await rate('dns', LOOKED_UP.dns * part, { types: ['A', 'MX'] });
  const known = LOOKED_UP.corpus * part;
  for (let from = 0; from < known; from += KNOWN_AT_ONCE) {
    const record = { create_date: '2024-01-02', registrant_contact: { name: 'Ada' } };
    const at = new Date().toISOString();
    const lines = Array.from({ length: Math.min(KNOWN_AT_ONCE, known - from) }, (_, n) => {
      return { kind: 'whois', name: nameOf(from + n), at, record };
    });
    await corpus.record(...lines);
  }
  return [
    atLeast('WHOIS through lookup and simulated registries', whois, 2_500, '/s'),
    atLeast('A and MX through lookup and a simulated resolver', dns, 5_000, '/s'),
    atLeast('WHOIS from the corpus', await rate('whois', known, { max_age: 86_400 }), 8_000, '/s'),
    ...(await liveBesideJob({
      lookupUrl: lookup.url,
      tokens: bench.tokens,
      usedUs: () => cpuUs(bench.pid) + cpuUs(lookup.pid),
      nameOf,
      job: async () => void (await rate('whois', LOOKED_UP.whois * part, {})),
    })),
  ];
}

async function lookupBesideRegistries(): Promise<ServiceProcess> {
  const simulator = new RegistrySimulator();
  const internet = await simulator.start();
  cleanup.add(() => simulator.stop());
  return started('lookup', {
    LOOKUP_UPSTREAM_EXCEPTIONS: internet.upstreamExceptions,
    LOOKUP_EXTRA_CA_FILE: internet.caFile,
    LOOKUP_DNS_SERVERS: internet.dnsServers,
    LOOKUP_UPSTREAM_PER_SECOND: '10000',
  });
}

/** Builds a file of records in its three formats. The other files of the same days are empty. */
async function databaseFile(rows: number): Promise<BenchRow[]> {
  const corpus = new CorpusStandIn();
  const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
  const planned = Array.from({ length: rows }, (_, n) => ({
    key: (n - rows / 2) * KEY_STEP,
    name: nameOf(n),
    record: RECORD,
  }));
  let askedMs: number | undefined;
  corpus.rowsOf = (dataset, asked) => {
    if (dataset !== 'newly_whois' || asked !== day) return [];
    askedMs ??= monotonicMs();
    return planned;
  };
  await corpus.start();
  cleanup.add(() => corpus.stop());
  const bench = await BenchWorker.start({ LOOKUP_URL: corpus.url, CORPUS_URL: corpus.url });
  const accountId = newId();
  await waitFor('the file', async () => bench.hasFile(accountId, day, rows), LIMIT_MS);
  const seconds = (monotonicMs() - askedMs!) / 1_000;
  return [
    atMost(`a file of ${rows} WHOIS rows in three forms`, seconds, 20, 's'),
    atMost('the worker at its largest, with files', bench.largestMb(), 200, 'MB'),
  ];
}

const nameOf = (n: number) => `bench-name-${n}.${TLDS[n % TLDS.length]}`;

function tldsOfUpstreams(): string[] {
  const byUpstream = new Map<string, string>();
  for (const { tld, rdapBaseUrl, whoisServer } of Registries.vendored().routes()) {
    if (rdapBaseUrl !== undefined || whoisServer === undefined || hasRegistrarHop(tld)) continue;
    byUpstream.set(whoisServer, tld);
  }
  return [...byUpstream.values()];
}

function processOf(app: string) {
  return { name: app, app, logFile: join(makeOwnFolder(app), 'log') };
}

async function started(app: string, settings: Record<string, string>): Promise<ServiceProcess> {
  const service = new ServiceProcess({
    ...processOf(app),
    settings: { SERVICE_SECRET: HARNESS_SECRET, [`${app.toUpperCase()}_PORT`]: '0', ...settings },
  });
  cleanup.add(() => service.stop());
  await service.start();
  return service;
}

/** A worker in a separate process, called as the gateway calls it. */
class BenchWorker {
  private constructor(
    private readonly process: ServiceProcess,
    readonly entitlement: EntitlementStandIn,
    readonly tokens: ServiceTokens,
    private readonly gateway: ServiceHttp,
  ) {}

  /** @param others addresses of other services. */
  static async start(others: Record<string, string>): Promise<BenchWorker> {
    const test = await TestDatabase.create();
    const [entitlement, account] = [new EntitlementStandIn(), new AccountContacts()];
    entitlement.defaultBalance = 2 * NAMES;
    for (const standIn of [entitlement, account]) {
      await standIn.start();
      cleanup.add(() => standIn.stop());
    }
    const worker = new ServiceProcess({
      ...processOf('worker'),
      nodeOptions: WORKER_OPTIONS,
      settings: {
        SERVICE_SECRET: HARNESS_SECRET,
        WORKER_DATABASE_URL: test.url('worker'),
        WORKER_MAINTENANCE_DATABASE_URL: test.url('worker_maintenance'),
        FILES_LOCATION: makeOwnFolder('worker-files'),
        SMTP_URL: 'smtp://127.0.0.1:1',
        ACCOUNT_URL: account.url,
        ENTITLEMENT_URL: entitlement.url,
        CORPUS_URL: account.url,
        ...others,
      },
    });
    cleanup.add(() => worker.stop());
    await worker.start();
    const tokens = new ServiceTokens(HARNESS_SECRET, new SystemClock());
    const http = { url: worker.url, caller: 'gateway', audience: 'worker', tokens } as const;
    const gateway = new ServiceHttp(http);
    cleanup.add(() => gateway.close());
    return new BenchWorker(worker, entitlement, tokens, gateway);
  }

  get pid(): number {
    return this.process.pid!;
  }

  /**
   * Uploads this number of names with a form.
   * @returns the id of the upload, once its names are counted.
   */
  async upload(accountId: string, names: number): Promise<string> {
    const { statusCode, body } = await request(`${this.process.url}/internal/uploads`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.tokens.issue('gateway', 'worker')}`,
        'x-account-id': accountId,
        'content-type': 'multipart/form-data; boundary=edge',
      },
      body: Readable.from(formOf(names)),
    });
    if (statusCode !== 201) throw new Error(await body.text());
    const { id } = (await body.json()) as UploadAnswer;
    const isRead = async () => {
      await sleep(POLL_MS);
      const path = `/internal/uploads/${id}`;
      return (await this.gateway.call<UploadAnswer>('GET', path, { accountId })).state === 'ready';
    };
    await waitFor('the names to be counted', isRead, LIMIT_MS);
    return id;
  }

  async begin(accountId: string, kind: string, body: object): Promise<string> {
    const path = `/internal/jobs/${kind}`;
    const { id } = await this.gateway.call<JobAnswer>('POST', path, { accountId, body });
    return id!;
  }

  /** Cancels the job, and waits until none of its chunks are left. */
  async cancel(accountId: string, id: string): Promise<void> {
    // The job may already have ended.
    await this.gateway.call('POST', `/internal/jobs/${id}/cancel`, { accountId }).catch(() => {});
    await this.end(accountId, id);
  }

  async end(accountId: string, id: string): Promise<JobAnswer> {
    return this.until(accountId, id, ({ finished_at: at }) => at !== null);
  }

  async until(accountId: string, id: string, isSo: (job: JobAnswer) => boolean) {
    const path = `/internal/jobs/${id}`;
    const look = async () => {
      await sleep(POLL_MS);
      const job = await this.gateway.call<JobAnswer>('GET', path, { accountId });
      return isSo(job) ? job : undefined;
    };
    return waitFor('the job', look, LIMIT_MS);
  }

  async hasFile(accountId: string, day: string, rows: number): Promise<boolean> {
    await sleep(POLL_MS);
    const path = `/internal/files?dataset=newly_whois&date=${day}`;
    const { files } = await this.gateway.call<FilesAnswer>('GET', path, { accountId });
    return files.some((file) => file.rows === rows);
  }

  /** Returns the peak resident memory of the process (proc(5), VmHWM). */
  largestMb(): number {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
  }
}

function* formOf(names: number): Generator<Buffer> {
  yield Buffer.from('--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
  for (let from = 0; from < names; from += LINES_A_PIECE) {
    const count = Math.min(LINES_A_PIECE, names - from);
    const lines = Array.from({ length: count }, (_, n) => `${nameOf(from + n)}\n`);
    yield Buffer.from(lines.join(''));
  }
  yield Buffer.from('\r\n--edge--\r\n');
}
