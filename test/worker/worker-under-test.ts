import type { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { Abstract, Type } from '@nestjs/common';
import { request } from 'undici';
import type { JobAnswer, ServiceHttp, UploadAnswer } from '#libs/contracts';
import { Database, MaintenanceDatabase } from '#libs/database';
import { FilesConfig, type FileStore, openFiles } from '#libs/files';
import { LocalMailbox } from '#libs/mail';
import { InProcessTransport } from '#libs/messaging';
import { type Job, Logger, type RunningService, ServiceTokens, loadConfig } from '#libs/platform';
import { TestClock, TestDatabase, makeOwnFolder, waitFor } from '#test/environment';
import {
  CheckDnsJob,
  CheckWhoisJob,
} from '../../apps/worker/src/monitor-checks/check-names.job.js';
import { LEASE_MS } from '../../apps/worker/src/monitor-checks/check-times.js';
import { AccountsService } from '../../apps/worker/src/accounts/accounts.service.js';
import { resultKey } from '../../apps/worker/src/jobs/job.js';
import { WorkerConfig } from '../../apps/worker/src/worker.config.js';
import { startWorker } from '../../apps/worker/src/start.js';
import { AccountContacts } from '../stand-ins/account-contacts.js';
import { EntitlementStandIn } from '../stand-ins/entitlement-stand-in.js';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';
import { connectTo } from '../stories/connections.js';

const NOWHERE = 'http://127.0.0.1:1';

/**
 * Settings that replace the worker's defaults. `files` contains those of its file store; `test` is a database to share.
 */
export interface WorkerSettings extends Partial<WorkerConfig> {
  files?: Record<string, string>;
  test?: TestDatabase;
}

/**
 * The worker with its own or a given database, and with stand-ins for account and entitlement. Tests pass the URLs of
 * lookup and corpus.
 */
export class WorkerUnderTest {
  readonly clock = new TestClock('2026-11-23T10:00:00Z');
  readonly tokens = new ServiceTokens(HARNESS_SECRET, this.clock);
  readonly logged: string[] = [];
  readonly logger = new Logger('worker', { write: (line: string) => void this.logged.push(line) });
  readonly entitlement = new EntitlementStandIn();
  readonly account = new AccountContacts();
  readonly mailbox = new LocalMailbox(this.clock);
  readonly transport = new InProcessTransport({
    logger: this.logger,
    consumers: { account: ['worker'], billing: ['worker'], entitlement: ['worker'] },
  });
  private test: TestDatabase;
  private isShared = false;
  files: FileStore;
  worker: RunningService;
  gateway: ServiceHttp;

  async start(
    lookupUrl = NOWHERE,
    { files, test, ...settings }: WorkerSettings = {},
  ): Promise<void> {
    this.isShared = test !== undefined;
    this.test = test ?? (await TestDatabase.create());
    await this.entitlement.start();
    await this.account.start();
    const { clock, logger, transport, mailbox: mail } = this;
    const place = files ?? { FILES_LOCATION: makeOwnFolder('worker-files') };
    this.files = await openFiles(loadConfig(FilesConfig, place), 'worker', clock);
    const config = Object.assign(new WorkerConfig(), {
      databaseUrl: this.test.url('worker'),
      maintenanceDatabaseUrl: this.test.url('worker_maintenance'),
      serviceSecret: HARNESS_SECRET,
      accountUrl: this.account.url,
      entitlementUrl: this.entitlement.url,
      corpusUrl: NOWHERE,
      lookupUrl,
      ...settings,
    });
    this.worker = await startWorker({ config, clock, logger, transport, mail, files: this.files });
    const terms = { url: this.worker.url, secret: HARNESS_SECRET, clock };
    this.gateway = connectTo('worker', terms, 'gateway');
  }

  async stop(): Promise<void> {
    await this.gateway?.close();
    await this.worker?.stop();
    await this.files?.close();
    await this.transport.close();
    await this.entitlement.stop();
    await this.account.stop();
    if (!this.isShared) await this.test?.drop();
    // The variables of a spec's file are never freed, and would keep the whole worker in memory.
    Reflect.deleteProperty(this, 'worker');
  }

  get<Part>(type: Type<Part> | Abstract<Part>): Part {
    return this.worker.app.get(type, { strict: false });
  }

  get database(): Database {
    return this.get(Database);
  }

  get accounts(): AccountsService {
    return this.get(AccountsService);
  }

  /** Lets a job of the installation run only when the test starts it. */
  async holdJob(name: string): Promise<void> {
    await waitFor(`the end of a run of ${name}`, async () => {
      // A run in progress would overwrite the time of the last run when it ends.
      const held = await this.get(MaintenanceDatabase).query(
        `update job_lease set last_run_at = clock_timestamp() + interval '1 day'
         where job = $1 and last_run_at is not null and lease_until = '-infinity' returning job`,
        [name],
      );
      return held.length > 0;
    });
  }

  /** Makes waiting work due, and lets the job look for it at once, which it otherwise does once a second. */
  async hurry(type: Type<Job>): Promise<void> {
    const job = this.get(type);
    const due = await this.database.query(
      `update work set until = clock_timestamp()
       where queue = $1 and state = 'waiting' and until > clock_timestamp() returning id`,
      [job.name],
    );
    // A run ends only when nothing is left to do, which may be after the test has answered.
    if (due.length > 0) void job.runOnce().catch(() => {});
  }

  /**
   * Checks the watched names that are due. Resolves once all checks are stored, including those that the worker started
   * on its own.
   */
  async checkNames(): Promise<void> {
    await Promise.all([this.get(CheckDnsJob).runOnce(), this.get(CheckWhoisJob).runOnce()]);
    const takenUntil = new Date(this.clock.now().getTime() + LEASE_MS);
    await waitFor('names that are being checked', async () => {
      const taken = 'select from watched_names where dns_due_at = $1 or whois_due_at = $1 limit 1';
      return (await this.database.query(taken, [takenUntil])).length === 0;
    });
  }

  async createJob(accountId: string, kind: string, body: object): Promise<JobAnswer> {
    return this.gateway.call('POST', `/internal/jobs/${kind}`, { accountId, body });
  }

  async endOfJob(accountId: string, id: string | null): Promise<JobAnswer> {
    return waitFor('the end of the job', async () => {
      const job = await this.gateway.call<JobAnswer>('GET', `/internal/jobs/${id}`, {
        accountId,
      });
      return job.finished_at === null ? undefined : job;
    });
  }

  /** Returns the name, outcome, credits, error and time of observation of each line in a job's results, sorted. */
  async rowsOf({ id }: JobAnswer): Promise<string[]> {
    const { content } = await this.files.read(resultKey({ id: id!, format: 'csv.gz' }));
    const text = gunzipSync(Buffer.concat(await content.toArray())).toString();
    const rows = text.trimEnd().split('\r\n').slice(1);
    return rows.map((row) => row.split(',').slice(1, 6).join(',')).toSorted();
  }

  /** Makes a call as the gateway would forward it. */
  async send(
    method: 'GET' | 'POST' | 'PATCH' | 'HEAD' | 'DELETE',
    path: string,
    { accountId, headers, body }: Sent,
  ) {
    const token = this.tokens.issue('gateway', 'worker');
    const account = accountId && { 'x-account-id': accountId };
    const answer = await request(this.worker.url + path, {
      method,
      body: body ?? null,
      headers: { authorization: `Bearer ${token}`, ...account, ...headers },
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    return { status: answer.statusCode, headers: answer.headers, bytes, text: bytes.toString() };
  }

  async upload(accountId: string, content: Buffer | string, fields = ''): Promise<UploadAnswer> {
    const { status, text } = await this.sendForm(accountId, content, fields);
    if (status !== 201) throw new Error(text);
    return JSON.parse(text) as UploadAnswer;
  }

  async sendForm(accountId: string, content: Buffer | string, fields = '', name = 'names.txt') {
    const body = Buffer.concat([
      Buffer.from(
        `${fields}--edge\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
          'Content-Type: text/plain\r\n\r\n',
      ),
      Buffer.from(content),
      Buffer.from('\r\n--edge--\r\n'),
    ]);
    const headers = { 'content-type': 'multipart/form-data; boundary=edge' };
    return this.send('POST', '/internal/uploads', { accountId, headers, body });
  }

  /** Resolves once the names of the upload have been read, or the upload has been rejected. */
  async endOfUpload(accountId: string, id: string, limitMs?: number): Promise<UploadAnswer> {
    const isRead = async () => {
      const path = `/internal/uploads/${id}`;
      const upload = await this.gateway.call<UploadAnswer>('GET', path, { accountId });
      return ['ready', 'refused'].includes(upload.state) ? upload : undefined;
    };
    return waitFor('the names to be read', isRead, limitMs);
  }

  async filesOf(id: string): Promise<string[]> {
    const { files } = await this.files.list(`uploads/${id}/`, { limit: 100 });
    return files.map(({ key }) => key);
  }
}

export interface Sent {
  accountId?: string;
  headers?: Record<string, string>;
  body?: Buffer | string | Readable;
}
