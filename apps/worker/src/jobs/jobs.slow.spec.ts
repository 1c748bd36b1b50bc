import { gunzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobAnswer, JobsAnswer } from '#libs/contracts';
import { type RunningService, loadConfig, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { HARNESS_SECRET } from '../../../../test/stand-ins/harness-secret.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { startLookup } from '../../../lookup/src/start.js';
import { LookupConfig } from '../../../lookup/src/lookup.config.js';
import { RegistrySimulator } from '../../../simulators/src/registry/registry-simulator.js';

const under = new WorkerUnderTest();
const { clock, logger, entitlement, mailbox, tokens } = under;
const simulator = new RegistrySimulator();
let lookup: RunningService;

beforeAll(async () => {
  const { upstreamExceptions, caFile, dnsServers } = await simulator.start();
  const settings = {
    SERVICE_SECRET: HARNESS_SECRET,
    LOOKUP_PORT: '0',
    LOOKUP_UPSTREAM_EXCEPTIONS: upstreamExceptions,
    LOOKUP_EXTRA_CA_FILE: caFile,
    LOOKUP_DNS_SERVERS: dnsServers,
    LOOKUP_UPSTREAM_PER_SECOND: '1000',
  };
  lookup = await startLookup({ config: loadConfig(LookupConfig, settings), clock, logger });
  await under.start(lookup.url);
});
afterAll(async () => {
  await under.stop();
  await lookup?.stop();
  await simulator.stop();
});

const TIME = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/;
const path = (rest: string) => `/internal/jobs${rest}`;
const create = under.createJob.bind(under);
const ended = under.endOfJob.bind(under);

async function results(accountId: string, id: string | null): Promise<string> {
  const token = tokens.issue('gateway', 'worker');
  const answer = await fetch(`${under.worker.url}${path(`/${id}/results`)}`, {
    headers: { authorization: `Bearer ${token}`, 'x-account-id': accountId },
  });
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(answer.headers.get('etag')).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`);
  return gunzipSync(bytes).toString();
}

describe('a job with names in the request', () => {
  it('S105: each different name is looked up once and charged once, and no credits stay held', async () => {
    const accountId = newId();
    const names = Array.from({ length: 60 }, (_, n) => `name-${n}.${n % 2 ? 'com' : 'de'}`);
    const domainNames = [
      ...names,
      'NAME-1.com',
      'https://name-2.de/x',
      'no \0name',
      'registered.test',
    ];
    const job = await create(accountId, 'whois', { domainNames });
    expect(job.counts).toMatchObject({
      lines: 64,
      unique: 61,
      invalid: 1,
      duplicates: 2,
      unsupported: 1,
    });
    expect(job.invalid_lines).toEqual([{ line: 63, message: expect.any(String) }]);
    const done = await ended(accountId, job.id);
    expect(done.state).toBe('completed_with_errors');
    expect(done.counts).toMatchObject({ delivered: 60, failed: 1 });
    expect(done.credits).toEqual({ price: 60, held: 0, charged: 60, released: 0 });
    expect(entitlement.charged(accountId)).toBe(60);
    expect(entitlement.openHolds(accountId)).toBe(0);
    const rows = (await results(accountId, job.id)).trimEnd().split('\r\n');
    expect(rows[0]).toMatch(
      /^line,domain_name,outcome,credits,error,observed_at,error_detail,domain_registered,/,
    );
    expect(
      rows
        .slice(1, -3)
        .map((row) => row.split(',')[1])
        .sort(),
    ).toEqual([...names, 'registered.test'].sort());
    const delivered = rows.filter((row) => row.split(',')[2] === 'delivered');
    expect(delivered).toHaveLength(61);
    for (const row of delivered) expect(row.split(',')[5]).toMatch(TIME);
    expect(rows.slice(-3).map((row) => row.split(',').slice(0, 7).join(','))).toEqual([
      '61,name-1.com,repeated,0,repeated_name,,The answer is in line 2.',
      '62,name-2.de,repeated,0,repeated_name,,The answer is in line 3.',
      expect.stringMatching(/^63,no name,rejected,0,invalid_domain_name,,[A-Z"]/),
    ]);
    expect(done.artifacts).toEqual([expect.objectContaining({ name: 'results.csv.gz', rows: 64 })]);
  });

  it('repeating a request with its Idempotency-Key, even concurrently, starts only one job', async () => {
    const accountId = newId();
    const headers = { 'idempotency-key': newId(), 'content-type': 'application/json' };
    const send = async (body: object, kind = 'whois') => {
      const sent = { accountId, headers, body: JSON.stringify(body) };
      const { status, text } = await under.send('POST', path(`/${kind}`), sent);
      return { status, ...(JSON.parse(text) as { id?: string; code?: string }) };
    };
    const domainNames = ['name-1.com', 'name-2.de'];
    const answers = await Promise.all(Array.from({ length: 5 }, async () => send({ domainNames })));
    const accepted = answers.filter(({ status }) => status < 300);
    const [{ id }] = accepted;
    expect(new Set(accepted.map((job) => job.id))).toEqual(new Set([id]));
    // These attempts arrive before the price is reserved.
    for (const { status, code } of answers.filter((answer) => !accepted.includes(answer))) {
      expect([status, code]).toEqual([409, 'idempotency_key_running']);
    }
    await ended(accountId, id!);
    expect(await send({ domainNames })).toMatchObject({ id, state: 'completed' });
    expect(entitlement.charged(accountId)).toBe(2);
    const other = await send({ domainNames }, 'dns');
    expect(other.id).not.toBe(id);
    await ended(accountId, other.id!);
    await under.database.query(
      `update jobs set created_at = created_at - interval '1 day' where account_id = $1`,
      [accountId],
    );
    const nextDay = await send({ domainNames });
    expect(nextDay.id).not.toBe(id);
    await ended(accountId, nextDay.id!);
  });

  it('S83: the end of a job is announced by an e-mail that contains no names or answers, only counts and a link to the dashboard’s jobs page', async () => {
    const accountId = newId();
    const { id } = await create(accountId, 'dns', {
      domainNames: ['name-1.com'],
      types: ['A'],
      format: 'json.gz',
    });
    const done = await ended(accountId, id);
    expect(done).toMatchObject({ state: 'completed', credits: { charged: 1 } });
    const row = JSON.parse(await results(accountId, id)) as Record<string, unknown>;
    expect(row).toMatchObject({
      line: 1,
      domain_name: 'name-1.com',
      outcome: 'delivered',
      observed_at: expect.stringMatching(TIME),
      answer: { dns_types: { A: 1 } },
    });
    const mail = await waitFor('the mail', async () =>
      (await mailbox.newest(20)).find(({ to }) => to.startsWith(accountId)),
    );
    expect(mail.text).toContain('http://localhost:8081/jobs');
    expect(mail.text).toContain('1 credit charged.');
    expect(mail.text).not.toContain('name-1.com');
  });

  it('402: a job does not start without enough credits, and the answer says how many are missing', async () => {
    const accountId = newId();
    entitlement.balances.set(accountId, 1);
    const domainNames = ['a-1.com', 'a-2.com', 'a-3.com'];
    await expect(create(accountId, 'whois', { domainNames })).rejects.toMatchObject({
      status: 402,
      code: 'insufficient_credits',
      members: { price: 3, shortfall: 2 },
    });
    const dry = await create(accountId, 'whois?dry_run=true', { domainNames });
    expect(dry).toMatchObject({ id: null, credits: { price: 3, held: 0, shortfall: 2 } });
    // Credits that lookups have set aside do not count as lacking.
    entitlement.recallable = 1;
    await expect(create(accountId, 'whois', { domainNames })).rejects.toMatchObject({
      members: { price: 3, shortfall: 1 },
    });
    const other = await create(accountId, 'whois?dry_run=true', { domainNames });
    expect(other.credits.shortfall).toBe(1);
    entitlement.recallable = 0;
    await waitFor('the job to be removed', async () => {
      const list = await under.gateway.call<JobsAnswer>('GET', path(''), { accountId });
      return list.jobs.length === 0;
    });
    expect(entitlement.openHolds(accountId)).toBe(0);
  });

  it('S105: the job of a suspended account waits, and cancelling it costs nothing', async () => {
    const accountId = newId();
    const { database, accounts } = under;
    await database.transaction((transaction) =>
      accounts.changeSuspension(transaction, accountId, true),
    );
    const { id } = await create(accountId, 'whois', { domainNames: ['d-1.com', 'd-2.com'] });
    const canceled = await under.gateway.call<JobAnswer>('POST', path(`/${id}/cancel`), {
      accountId,
    });
    expect(canceled.state).toBe('finalizing');
    const done = await ended(accountId, id);
    expect(done).toMatchObject({
      state: 'canceled',
      credits: { price: 2, held: 0, charged: 0, released: 2 },
      artifacts: [],
    });
    expect(entitlement.openHolds(accountId)).toBe(0);
    await expect(
      under.gateway.call('GET', path(`/${id}/results`), { accountId }),
    ).rejects.toMatchObject({
      status: 404,
    });
    expect(await database.query('select list_id from name_lines')).toEqual([]);
    const mail = await waitFor('the mail', async () =>
      (await mailbox.newest(20)).find(({ to }) => to.startsWith(accountId)),
    );
    expect(mail.text).toContain('there are no results.');
  });

  it('S105: a job cancelled while its price is being reserved looks nothing up and costs nothing', async () => {
    const accountId = newId();
    entitlement.isElsewhere = true;
    const making = create(accountId, 'whois', { domainNames: ['e-1.com', 'e-2.com'] });
    const { id } = await waitFor('the job', async () => {
      const { jobs } = await under.gateway.call<JobsAnswer>('GET', path(''), { accountId });
      return jobs[0];
    });
    const cancelled = await under.gateway.call<JobAnswer>('POST', path(`/${id}/cancel`), {
      accountId,
    });
    expect(cancelled).toMatchObject({ state: 'validating', eta_seconds: null });
    entitlement.isElsewhere = false;
    expect(await making).toMatchObject({ id });
    expect(await ended(accountId, id)).toMatchObject({
      state: 'canceled',
      credits: { price: 2, held: 0, charged: 0, released: 2 },
    });
    expect(entitlement.openHolds(accountId)).toBe(0);
  });

  it('another account cannot see or cancel the job, and a job that has ended cannot be cancelled', async () => {
    const accountId = newId();
    const { id } = await create(accountId, 'whois', { domainNames: ['b-1.com'] });
    const stranger = { accountId: newId() };
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/results'],
      ['POST', '/cancel'],
    ] as const) {
      await expect(
        under.gateway.call(method, path(`/${id}${rest}`), stranger),
      ).rejects.toMatchObject({
        status: 404,
      });
    }
    await ended(accountId, id);
    await expect(
      under.gateway.call('POST', path(`/${id}/cancel`), { accountId }),
    ).rejects.toMatchObject({
      status: 409,
      code: 'job_over',
    });
  });

  it('S105: an account has at most 20 jobs in progress, however many it starts at once', async () => {
    const accountId = newId();
    const one = (n: number) => create(accountId, 'whois', { domainNames: [`silent-${n}.com`] });
    const first: JobAnswer[] = [];
    for (let n = 0; n < 17; n += 1) first.push(await one(n));
    const made = await Promise.allSettled([17, 18, 19, 20, 21, 22].map(one));
    const jobs = [
      ...first,
      ...made.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    ];
    const refused = made.flatMap((each) =>
      each.status === 'rejected' ? [each.reason as object] : [],
    );
    for (const each of refused) expect(each).toMatchObject({ code: 'too_many_jobs' });
    expect(jobs).toHaveLength(20);
    await Promise.all(
      jobs.map(async ({ id }) => under.gateway.call('POST', path(`/${id}/cancel`), { accountId })),
    );
  });

  it('an erased account leaves no job and no file', async () => {
    const accountId = newId();
    const { id } = await create(accountId, 'whois', { domainNames: ['c-1.com'] });
    await ended(accountId, id);
    const { database, accounts } = under;
    await database.transaction((transaction) => accounts.erase(transaction, accountId));
    await expect(under.gateway.call('GET', path(`/${id}`), { accountId })).rejects.toMatchObject({
      status: 404,
    });
    await waitFor(
      'the files to go',
      async () => (await under.files.list(`jobs/${id}/`, { limit: 10 })).files.length === 0,
    );
  });
});

describe('a job from an upload', () => {
  const names = Array.from({ length: 30 }, (_, n) => `upload-${n}.${n % 3 ? 'com' : 'de'}`);

  it('S105: a dry run reports counts, price, shortfall and times, and the actual job answers each name once', async () => {
    const accountId = newId();
    entitlement.balances.set(accountId, 20);
    const { id } = await under.upload(accountId, [...names, 'nothing here', names[0]].join('\n'));
    const body = { upload_id: id };
    await under.endOfUpload(accountId, id);
    const dry = await create(accountId, 'whois?dry_run=true', body);
    expect(dry).toMatchObject({
      id: null,
      counts: { lines: 32, unique: 30, invalid: 1, duplicates: 1 },
      credits: { price: 30, held: 0, shortfall: 10 },
      tlds: [
        { tld: 'com', names: 20, eta_seconds: 2 },
        { tld: 'de', names: 10, eta_seconds: 10 },
      ],
    });
    await expect(create(accountId, 'whois', body)).rejects.toMatchObject({
      status: 402,
      members: { price: 30, shortfall: 10 },
    });
    entitlement.balances.set(accountId, 100);
    const job = await create(accountId, 'whois', body);
    expect(job).toMatchObject({ state: 'queued', eta_seconds: 10, credits: { held: 30 } });
    const done = await ended(accountId, job.id);
    expect(done).toMatchObject({ state: 'completed', eta_seconds: null, credits: { charged: 30 } });
    const rows = (await results(accountId, job.id)).trimEnd().split('\r\n').slice(1);
    const paid = rows.filter((row) => row.split(',')[3] === '1');
    expect(paid.map((row) => row.split(',')[1]).sort()).toEqual([...names].sort());
    const again = await ended(accountId, (await create(accountId, 'dns', body)).id);
    expect(again.counts).toMatchObject({ unique: 30, delivered: 30 });
    expect(entitlement.charged(accountId)).toBe(60);
  });

  it('each non-blank line has one row: an answer, the reason for its rejection, or the line with the same name', async () => {
    const accountId = newId();
    const [twice, evil] = ['twice.com', `=1+1\t\\.${'x'.repeat(300)}`];
    const file = [twice, '', ...names, evil, 'TWICE.com.', '\\.', ...names.slice(0, 3)];
    const { id } = await under.upload(accountId, file.join('\n'));
    const { counts } = await under.endOfUpload(accountId, id);
    expect(counts).toEqual({ lines: 37, unique: 31, invalid: 2, duplicates: 4 });
    const body = { upload_id: id, format: 'json.gz' };
    const { id: jobId } = await create(accountId, 'whois', body);
    const done = await ended(accountId, jobId);
    expect(done).toMatchObject({ counts: { waiting: 0 }, artifacts: [{ rows: 37 }] });
    const rows = (await results(accountId, jobId))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { line: number; domain_name: string; outcome: string });
    const lines = rows.map(({ line }) => line).toSorted((one, other) => one - other);
    expect(lines).toEqual([1, ...Array.from({ length: 36 }, (_, n) => n + 3)]);
    const at = (line: number) => rows.find((row) => row.line === line);
    expect(at(1)).toMatchObject({ domain_name: twice, outcome: 'delivered', credits: 1 });
    expect(at(34)).toMatchObject({
      domain_name: twice,
      outcome: 'repeated',
      credits: 0,
      problem: { code: 'repeated_name', detail: 'The answer is in line 1.' },
    });
    const rejected = { outcome: 'rejected', problem: { code: 'invalid_domain_name' } };
    expect(at(33)).toMatchObject({ ...rejected, domain_name: evil.slice(0, 255) });
    expect(at(35)).toMatchObject({ ...rejected, domain_name: '\\.' });
  });

  it('a job waits for credits that are briefly held elsewhere', async () => {
    const accountId = newId();
    entitlement.isElsewhere = true;
    const starting = create(accountId, 'whois', { domainNames: ['e-1.com'] });
    await waitFor('the first try', async () => {
      const { jobs } = await under.gateway.call<JobsAnswer>('GET', path(''), { accountId });
      return jobs.length === 1;
    });
    entitlement.isElsewhere = false;
    expect(await ended(accountId, (await starting).id)).toMatchObject({ state: 'completed' });
  });

  it('400, 404, 409, 422: two lists, another account’s upload, and an unread or rejected upload cannot start a job', async () => {
    const accountId = newId();
    const { id } = await under.upload(accountId, names.join('\n'));
    const refusalOf = (body: object, whose = accountId) =>
      expect(create(whose, 'whois', body)).rejects;
    await refusalOf({ upload_id: id, domainNames: ['a.com'] }).toMatchObject({ status: 400 });
    await refusalOf({ upload_id: 'x' }).toMatchObject({ status: 400 });
    await refusalOf({ upload_id: id }, newId()).toMatchObject({ status: 404 });
    const broken = await under.upload(accountId, '!');
    expect(await under.endOfUpload(accountId, broken.id)).toMatchObject({ state: 'refused' });
    await refusalOf({ upload_id: broken.id }).toMatchObject({
      status: 422,
      code: 'upload_refused',
      members: { reason: 'no_names' },
    });
    const begun = await under.send('POST', '/internal/uploads', {
      accountId,
      headers: { 'tus-resumable': '1.0.0', 'upload-length': '10' },
    });
    const upload_id = String(begun.headers.location).split('/').at(-1)!;
    await refusalOf({ upload_id }).toMatchObject({ status: 409, code: 'upload_not_ready' });
    expect(entitlement.openHolds(accountId)).toBe(0);
  });
});
