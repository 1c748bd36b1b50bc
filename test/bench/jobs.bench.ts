import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { type JobAnswer, ServiceHttp, type UploadAnswer } from '#libs/contracts';
import { ServiceTokens, SystemClock, monotonicMs, newId } from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import type { ServiceProcess } from '../../apps/cluster/src/processes/service-process.js';
import { AccountContacts } from '../stand-ins/account-contacts.js';
import { EntitlementStandIn } from '../stand-ins/entitlement-stand-in.js';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';
import { QuestionsStandIn } from '../worker/questions-stand-in.js';
import {
  type BenchOptions,
  type BenchReport,
  atMost,
  newFolder,
  openPostgres,
  openService,
} from './bench.js';
import { cleanup } from './cleanup.js';
import { memoryMb } from './machine.js';

const NAMES = 3_000_000;
const SHORT_PART = 0.02;
/** The Node options that the chart sets for the worker. */
const WORKER_OPTIONS = ['--max-semi-space-size=8', '--heap-growing-percent=30'];
/** The top-level domains of the names. Names of different registries are looked up at the same time. */
const TLDS = 'com net org info biz de nl uk fr eu it ch pl ru br au ca jp se no'.split(' ');
const LINES_A_PIECE = 10_000;
const LIMIT_MS = 3_600_000;
const POLL_MS = 200;

/** Sends names through a worker in a separate process (`npm run bench jobs`). */
export async function measure({ isShort }: BenchOptions): Promise<BenchReport> {
  const names = isShort ? NAMES * SHORT_PART : NAMES;
  await openPostgres(false);
  const lookup = new QuestionsStandIn();
  await lookup.start();
  cleanup.add(() => lookup.stop());
  const bench = await BenchWorker.start(lookup.url);
  const atStartMb = bench.largestMb();
  const accountId = newId();
  const begunMs = monotonicMs();
  const uploadId = await bench.upload(accountId, names);
  const body = { upload_id: uploadId };
  const job = await bench.gateway.call<JobAnswer>('POST', '/internal/jobs/whois', {
    accountId,
    body,
  });
  const path = `jobs/${job.id}`;
  await bench.until<JobAnswer>(accountId, path, ({ state }) => state !== 'queued');
  const queuedMs = monotonicMs();
  const { counts } = await bench.until<JobAnswer>(
    accountId,
    path,
    (one) => one.finished_at !== null,
  );
  const [doneMs, charged] = [monotonicMs(), bench.entitlement.charged(accountId)];
  if (counts.delivered !== names || charged !== names) throw new Error(`${charged} of ${names}`);
  const seconds = (fromMs: number, toMs: number) => (toMs - fromMs) / 1_000;
  const of = `${names} names`;
  const rows = [
    atMost(`${of}: uploaded, counted, split and waiting`, seconds(begunMs, queuedMs), 30, 's'),
    atMost(`${of}: done, with a stand-in for lookup`, seconds(queuedMs, doneMs), 240, 's'),
    { what: 'the worker after its start', value: atStartMb, unit: 'MB' },
    atMost('the worker at its largest', bench.largestMb(), 256, 'MB'),
  ];
  return { title: 'jobs: a worker in a separate process, everything on one machine', rows };
}

class BenchWorker {
  private constructor(
    private readonly process: ServiceProcess,
    readonly entitlement: EntitlementStandIn,
    private readonly tokens: ServiceTokens,
    readonly gateway: ServiceHttp,
  ) {}

  static async start(lookupUrl: string): Promise<BenchWorker> {
    const test = await TestDatabase.create();
    const [entitlement, account] = [new EntitlementStandIn(), new AccountContacts()];
    entitlement.defaultBalance = 2 * NAMES;
    for (const standIn of [entitlement, account]) {
      await standIn.start();
      cleanup.add(() => standIn.stop());
    }
    const settings = {
      SERVICE_SECRET: HARNESS_SECRET,
      WORKER_PORT: '0',
      WORKER_DATABASE_URL: test.url('worker'),
      WORKER_MAINTENANCE_DATABASE_URL: test.url('worker_maintenance'),
      FILES_LOCATION: newFolder('worker-files'),
      SMTP_URL: 'smtp://127.0.0.1:1',
      ACCOUNT_URL: account.url,
      ENTITLEMENT_URL: entitlement.url,
      CORPUS_URL: account.url,
      LOOKUP_URL: lookupUrl,
    };
    const worker = await openService('worker', settings, WORKER_OPTIONS);
    const tokens = new ServiceTokens(HARNESS_SECRET, new SystemClock());
    const http = { url: worker.url, caller: 'gateway', audience: 'worker', tokens } as const;
    const gateway = new ServiceHttp(http);
    cleanup.add(() => gateway.close());
    return new BenchWorker(worker, entitlement, tokens, gateway);
  }

  /** Uploads names with a form, and returns the upload's id once they are counted. */
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
    await this.until<UploadAnswer>(accountId, `uploads/${id}`, ({ state }) => state === 'ready');
    return id;
  }

  /** Waits until the answer at a path of the worker has the expected form, and returns it. */
  async until<Answer>(accountId: string, path: string, isSo: (answer: Answer) => boolean) {
    const look = async () => {
      await sleep(POLL_MS);
      const answer = await this.gateway.call<Answer>('GET', `/internal/${path}`, { accountId });
      return isSo(answer) ? answer : undefined;
    };
    return waitFor(path, look, LIMIT_MS);
  }

  largestMb(): number {
    return memoryMb(this.process.pid, 'VmHWM');
  }
}

function* formOf(names: number): Generator<Buffer> {
  yield Buffer.from('--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
  for (let from = 0; from < names; from += LINES_A_PIECE) {
    const count = Math.min(LINES_A_PIECE, names - from);
    const lines = Array.from(
      { length: count },
      (_, n) => `name-${from + n}.${TLDS[n % TLDS.length]}\n`,
    );
    yield Buffer.from(lines.join(''));
  }
  yield Buffer.from('\r\n--edge--\r\n');
}
