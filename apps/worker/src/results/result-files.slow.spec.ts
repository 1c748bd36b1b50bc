import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobAnswer } from '#libs/contracts';
import { DAY_MS, newId } from '#libs/platform';
import { rowsRead, waitFor } from '#test/environment';
import { CorpusUnderTest } from '../../../../test/corpus/corpus-under-test.js';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { StartJobsJob } from '../chunks/start-jobs.job.js';
import { partsFolder, resultKey } from '../jobs/job.js';
import { JobRowsService } from '../jobs/job-rows.service.js';
import { NameLinesService } from '../names/name-lines.service.js';
import type { LeftOutLine } from '../names/read-name.js';
import { ExpireJobsJob } from './expire-jobs.job.js';

const under = new WorkerUnderTest();
const lookup = new QuestionsStandIn();
let corpus: CorpusUnderTest;

beforeAll(async () => {
  await lookup.start();
  corpus = await CorpusUnderTest.start();
  corpus.clock.set(under.clock.now());
  await under.start(lookup.url, { corpusUrl: corpus.url });
});
afterEach(() => {
  lookup.letAllGo();
  lookup.found = () => ({});
});
afterAll(async () => {
  await under.stop();
  await corpus?.stop();
  await lookup.stop();
});

const jobOf = async (accountId: string, id: string | null) =>
  under.gateway.call<JobAnswer>('GET', `/internal/jobs/${id}`, { accountId });

describe('a result file', () => {
  it('S66, S74: published values in a result file are text, never a formula or a second cell or line', async () => {
    const accountId = newId();
    const registrant = {
      name: '=HYPERLINK("https://evil.example","x")',
      company: '<script>1</script>',
      street: '@SUM(1)',
      city: 'a\r\nb,"c"',
      state: '＝1+1',
    };
    lookup.found = () => ({ body: { domain_registered: 'yes', registrant_contact: registrant } });
    const { id } = await under.createJob(accountId, 'whois', { domainNames: ['evil.com'] });
    await under.endOfJob(accountId, id);
    const { content } = await under.files.read(resultKey({ id: id!, format: 'csv.gz' }));
    const text = gunzipSync(Buffer.concat(await content.toArray())).toString();
    expect(text).toContain(
      `,"'=HYPERLINK(""https://evil.example"",""x"")",<script>1</script>,"'@SUM(1)","a\r\nb,""c""","'＝1+1",`,
    );
  });

  it('after a cancellation, the file contains all charged names, including those of a chunk that ends later, and no row for the others', async () => {
    const accountId = newId();
    const at = under.clock.now().toISOString();
    await corpus.record({ kind: 'whois', name: 'early.com', at, record: {} });
    lookup.hold();
    const body = { domainNames: ['early.com', 'held.com', 'no name'], max_age: 100 };
    const { id } = await under.createJob(accountId, 'whois', body);
    await waitFor('the lookup of the other name', () =>
      lookup.calls.some(({ names }) => names.includes('held.com')),
    );
    await under.database.transaction(async (transaction) => {
      await transaction.query('select from job_chunks where job_id = $1 for update', [id]);
      await under.gateway.call('POST', `/internal/jobs/${id}/cancel`, { accountId });
      await waitFor('the chunk and the end of the job to progress as far as they can', async () => {
        const [{ halted }] = await under.database.query<{ halted: number }>(
          `select (select count(*) from pg_stat_activity
             where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0)
           + (select count(*) from work where queue = 'job-ends' and name = $1 and state = 'waiting') as halted`,
          [id],
        );
        return Number(halted) >= 2;
      });
    });
    const done = await under.endOfJob(accountId, id);
    expect(done).toMatchObject({ state: 'canceled', credits: { charged: 1, released: 1 } });
    expect(await under.rowsOf(done)).toEqual([
      `early.com,delivered,1,,${at}`,
      'no name,rejected,0,invalid_domain_name,',
    ]);
    expect(under.entitlement.charged(accountId)).toBe(1);
  });

  it('the file contains the lines without an answer once, even if two attempts started its job', async () => {
    const accountId = newId();
    lookup.hold();
    const domainNames = ['twice.com', 'no name', 'twice.com'];
    const { id } = await under.createJob(accountId, 'whois', { domainNames });
    await waitFor(
      'the first attempt',
      async () => (await jobOf(accountId, id)).state === 'running',
    );
    const rows = under.worker.app.get(JobRowsService, { strict: false });
    const job = await rows.find(under.database, id!);
    await under.worker.app.get(StartJobsJob, { strict: false }).cut(
      { ...job!, state: 'queued' },
      {
        signal: new AbortController().signal,
        finish: async () => {
          throw new Error('the other attempt has finished');
        },
      },
    );
    const { files } = await under.files.list(partsFolder(id!), { limit: 10 });
    expect(files.filter(({ key }) => key.includes('left-out'))).toHaveLength(1);
    lookup.letAllGo();
    const done = await under.endOfJob(accountId, id);
    expect(done.artifacts).toEqual([expect.objectContaining({ rows: 3 })]);
    expect(await under.rowsOf(done)).toEqual([
      'no name,rejected,0,invalid_domain_name,',
      'twice.com,delivered,1,,',
      'twice.com,repeated,0,repeated_name,',
    ]);
  });

  it('however many lines have no answer, their list is read once', async () => {
    const lines = under.worker.app.get(NameLinesService, { strict: false });
    const stored = Array.from({ length: 90 }, (_, place) => {
      const fault = place % 3 === 0 ? 'Not a name.' : null;
      return { line: place + 1, name: `name-${place % 6}.com`, upstream: '', fault };
    });
    const listId = newId();
    await under.database.transaction((transaction) => lines.insert(transaction, listId, stored));
    await under.database.transaction(async (transaction) => {
      const found: LeftOutLine[] = [];
      const asked = { hasRepeats: true, pageSize: 7 };
      const read = await rowsRead(transaction, ['worker.name_lines'], async () => {
        for await (const page of lines.listLeftOut(transaction, listId, asked)) found.push(...page);
      });
      expect(found.map(({ line, firstLine }) => [line, firstLine])).toEqual(
        stored
          .filter(({ line, fault }) => fault !== null || line > 6)
          .map(({ line, fault }) => [line, fault === null ? ((line - 1) % 6) + 1 : null]),
      );
      expect(read).toBeLessThanOrEqual(stored.length);
      await lines.deleteList(transaction, listId);
    });
  });

  it('only the rows in the file are counted if the rejected lines of an older upload are not known', async () => {
    const accountId = newId();
    const { id: upload_id } = await under.upload(accountId, 'older.com\nno name');
    await under.endOfUpload(accountId, upload_id);
    await under.database.query('delete from name_lines where list_id = $1 and fault is not null', [
      upload_id,
    ]);
    const { id } = await under.createJob(accountId, 'whois', { upload_id });
    const done = await under.endOfJob(accountId, id);
    expect(done).toMatchObject({ counts: { lines: 2, unique: 1 }, artifacts: [{ rows: 1 }] });
    expect(await under.rowsOf(done)).toEqual(['older.com,delivered,1,,']);
  });

  it('410: a result file is deleted after 30 days', async () => {
    const accountId = newId();
    const { id } = await under.createJob(accountId, 'whois', { domainNames: ['kept.com'] });
    const done = await under.endOfJob(accountId, id);
    expect(Date.parse(done.expires_at!) - Date.parse(done.finished_at!)).toBe(30 * DAY_MS);
    under.clock.advance(30 * DAY_MS);
    corpus.clock.advance(30 * DAY_MS);
    await under.worker.app.get(ExpireJobsJob, { strict: false }).runOnce();
    const results = under.gateway.call('GET', `/internal/jobs/${id}/results`, { accountId });
    await expect(results).rejects.toMatchObject({ status: 410, code: 'job_expired' });
    expect(await jobOf(accountId, id)).toMatchObject({ state: 'expired', artifacts: [] });
    const chunks = await under.database.query('select from job_chunks where job_id = $1', [id]);
    expect(chunks).toEqual([]);
    await waitFor('the files to go', async () => {
      const { files } = await under.files.list(`jobs/${id}/`, { limit: 1 });
      return files.length === 0;
    });
  });
});
