import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { JobAnswer, NameFindings } from '#libs/contracts';
import { HOUR_MS, SECOND_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { CorpusUnderTest } from '../../../../test/corpus/corpus-under-test.js';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { JobQueues } from '../jobs/job-queues.js';
import { resultKey } from '../jobs/job.js';
import { ASKING_MIN_MS, ASKING_MS, CONCURRENCY, ChunksJob } from './chunks.job.js';

const LATER: Partial<NameFindings> = {
  outcome: 'throttled',
  laterSeconds: 3_600,
  problem: { code: 'upstream_throttled', detail: 'Later.' },
};
const under = new WorkerUnderTest();
const lookup = new QuestionsStandIn();
let corpus: CorpusUnderTest | undefined;

beforeAll(async () => {
  await lookup.start();
  corpus = await CorpusUnderTest.start();
  corpus.clock.set(under.clock.now());
  await under.start(lookup.url, { corpusUrl: corpus.url });
  // The collector is off, because it would also look up names.
  await under.holdJob('collect-names');
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

/** Makes waiting work due at once instead of in minutes. @returns the job at its end. */
async function endOf(accountId: string, id: string | null): Promise<JobAnswer> {
  return waitFor('the end of the job', async () => {
    await under.hurry(ChunksJob);
    const job = await jobOf(accountId, id);
    return job.finished_at === null ? undefined : job;
  });
}

const create = (accountId: string, name: string) =>
  under.createJob(accountId, 'whois', { domainNames: [name] });

const asksFor = (name: string) => lookup.calls.filter(({ names }) => names.includes(name)).length;

describe('a name', () => {
  it('a name is looked up again as often as its upstream makes it wait, but only three times if the lookup fails', async () => {
    const accountId = newId();
    lookup.found = (name) => {
      if (name === 'fails.com') return { outcome: 'timeout' };
      return name === 'later.com' && asksFor(name) <= 4 ? LATER : {};
    };
    const domainNames = ['later.com', 'fails.com', 'fine.com'];
    const { id } = await under.createJob(accountId, 'whois', { domainNames });
    const done = await endOf(accountId, id);
    expect(domainNames.map(asksFor)).toEqual([5, 3, 1]);
    expect(done).toMatchObject({
      state: 'completed_with_errors',
      counts: { delivered: 2, failed: 1 },
      credits: { charged: 2, released: 1 },
    });
    expect(await under.rowsOf(done)).toEqual([
      'fails.com,timeout,0,,',
      'fine.com,delivered,1,,',
      'later.com,delivered,1,,',
    ]);
  });

  it('S105: a name without an answer at the end of its job is reported as unanswered, and is free', async () => {
    const accountId = newId();
    lookup.found = (name) => (name === 'never.com' ? LATER : {});
    const body = { domainNames: ['never.com', 'soon.com'], deadline_hours: 1 };
    const { id } = await under.createJob(accountId, 'whois', body);
    await waitFor('the first answer', async () => {
      const { counts } = await jobOf(accountId, id);
      return counts.delivered === 1;
    });
    under.clock.advance(HOUR_MS);
    corpus!.clock.advance(HOUR_MS);
    const done = await endOf(accountId, id);
    expect(done).toMatchObject({
      state: 'completed_with_errors',
      credits: { price: 2, held: 0, charged: 1, released: 1 },
    });
    expect(await under.rowsOf(done)).toEqual([
      'never.com,unanswered,0,,',
      'soon.com,delivered,1,,',
    ]);
    const { entitlement } = under;
    expect([entitlement.charged(accountId), entitlement.openHolds(accountId)]).toEqual([1, 0]);
  });

  it('a name counts as progress before its chunk is complete, but is charged only with the chunk', async () => {
    const accountId = newId();
    const at = under.clock.now().toISOString();
    await corpus!.record({ kind: 'whois', name: 'arrived.com', at, record: {} });
    lookup.hold();
    const body = { domainNames: ['arrived.com', 'awaited.com'], max_age: 100 };
    const { id } = await under.createJob(accountId, 'whois', body);
    const job = await waitFor('the progress', async () => {
      const seen = await jobOf(accountId, id);
      return seen.counts.arrived > 0 ? seen : undefined;
    });
    expect(job).toMatchObject({
      counts: { delivered: 0, arrived: 1, waiting: 1 },
      progress: 0.5,
      credits: { charged: 0, held: 2 },
    });
    lookup.letAllGo();
    expect(await under.endOfJob(accountId, id)).toMatchObject({
      counts: { delivered: 2, arrived: 0, waiting: 0 },
      progress: 1,
    });
  });

  it('S105: a name without an answer for 45 s is postponed, and delays neither other answers nor other chunks', async () => {
    const accountId = newId();
    const at = under.clock.now().toISOString();
    await corpus!.record({ kind: 'whois', name: 'answered-first.com', at, record: {} });
    const limits: AbortController[] = [];
    const { timeout } = AbortSignal;
    const spy = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      if (ms !== ASKING_MS) return timeout.call(AbortSignal, ms);
      limits.push(new AbortController());
      return limits.at(-1)!.signal;
    });
    lookup.hold();
    const body = { domainNames: ['answered-first.com', 'silent.com'], max_age: 100 };
    const { id } = await under.createJob(accountId, 'whois', body);
    await waitFor('the question', () => asksFor('silent.com') === 1);
    limits[0].abort(new Error('the time is over'));
    const job = await waitFor('what has arrived', async () => {
      const seen = await jobOf(accountId, id);
      return seen.counts.delivered === 1 ? seen : undefined;
    });
    expect(job).toMatchObject({ state: 'running', counts: { failed: 0, waiting: 1 } });
    spy.mockRestore();
    lookup.letAllGo();
    const { counts, credits } = await endOf(accountId, id);
    expect([counts.delivered, counts.failed, credits.charged]).toEqual([2, 0, 2]);
    expect(asksFor('silent.com')).toBe(2);
  });

  it('S105: a name is looked up even if another account has enough small jobs to fill every slot', async () => {
    const [first, second] = [newId(), newId()];
    const { chunks } = under.worker.app.get(JobQueues, { strict: false });
    await chunks.pause(under.database, 3_600);
    lookup.hold();
    const jobs = Array.from({ length: CONCURRENCY }, (_, n) => create(first, `crowd-${n}.com`));
    jobs.push(create(second, 'alone.com'));
    const ids = (await Promise.all(jobs)).map(({ id }) => id);
    await waitFor('their chunks', async () => {
      const found = await under.database.query('select from work where group_id = any ($1)', [ids]);
      return found.length === ids.length;
    });
    // Without this row, the queue is not paused, and the account with the lowest id has the next turn.
    await under.database.query(`delete from work_turn where queue = 'chunks'`);
    await waitFor('the other account', () => asksFor('alone.com') === 1);
    const crowd = lookup.calls.filter(({ names }) => names[0].startsWith('crowd-'));
    expect(crowd.length).toBeLessThan(CONCURRENCY);
    lookup.letAllGo();
    await endOf(second, ids.at(-1)!);
  });

  it('S105: a name is looked up even if the silent names of another account occupy every place', async () => {
    const { timeout } = AbortSignal;
    const spy = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      if (ms === ASKING_MS) return new AbortController().signal;
      return timeout.call(AbortSignal, ms === ASKING_MIN_MS ? 0 : ms);
    });
    lookup.hold();
    const [first, second] = [newId(), newId()];
    for (let n = 0; n < CONCURRENCY; n++) await create(first, `quiet-${n}.com`);
    const ofFirst = () => lookup.calls.filter(({ accountId }) => accountId === first);
    await waitFor('all places to be taken', () => ofFirst().length === CONCURRENCY);
    const { id } = await create(second, 'newcomer.com');
    await waitFor('the other account', () => asksFor('newcomer.com') === 1);
    spy.mockRestore();
    // Only one place had to be freed.
    expect(ofFirst().length).toBeLessThanOrEqual(CONCURRENCY + 1);
    lookup.letAllGo();
    expect(await endOf(second, id)).toMatchObject({ counts: { delivered: 1 } });
  });

  it('S105: a name is not looked up while its answer could not be stored', async () => {
    const accountId = newId();
    const check = jest.spyOn(under.files, 'check').mockRejectedValue(new Error('the disk is full'));
    const { id } = await create(accountId, 'no-room.com');
    await waitFor('the failed attempt', async () => {
      const failed = await under.database.query(
        `select from work where queue = 'chunks' and reason like '%the disk is full%'`,
      );
      return failed.length > 0;
    });
    expect(asksFor('no-room.com')).toBe(0);
    check.mockRestore();
    expect(await endOf(accountId, id)).toMatchObject({ credits: { charged: 1 } });
    expect(asksFor('no-room.com')).toBe(1);
  });

  it('a job has seven days by default', async () => {
    const usual = await create(newId(), 'week.com');
    expect(Date.parse(usual.deadline_at) - Date.parse(usual.created_at)).toBe(7 * 24 * HOUR_MS);
  });

  it('names without a known upstream are counted separately and cost nothing', async () => {
    const accountId = newId();
    under.entitlement.balances.set(accountId, 1);
    const domainNames = ['priced.com', 'a.no-upstream', 'b.no-upstream'];
    const dryRun = await under.createJob(accountId, 'whois?dry_run=true', { domainNames });
    expect(dryRun).toMatchObject({
      counts: { unique: 3, unsupported: 2 },
      credits: { price: 1, shortfall: 0 },
    });
    const dns = await under.createJob(accountId, 'dns?dry_run=true', { domainNames });
    expect(dns).toMatchObject({ counts: { unsupported: 0 }, credits: { price: 3 } });
    const { id } = await under.createJob(accountId, 'whois', { domainNames });
    const done = await under.endOfJob(accountId, id);
    expect(done.credits).toEqual({ price: 1, held: 0, charged: 1, released: 0 });
    expect(under.entitlement.charged(accountId)).toBe(1);
    const free = await under.createJob(accountId, 'whois', { domainNames: domainNames.slice(1) });
    const { credits } = await under.endOfJob(accountId, free.id);
    expect(credits).toMatchObject({ price: 0, charged: 0 });
    expect(under.entitlement.openHolds(accountId)).toBe(0);
  });

  it('names are counted in at most 1,001 groups, however many top-level domains a file contains, and a dry run lists 100 of these', async () => {
    const accountId = newId();
    const letter = (n: number) => String.fromCharCode(97 + (n % 26));
    const names = Array.from(
      { length: 1_500 },
      (_, n) => `a.no-${letter(n)}${letter(n / 26)}${letter(n / 676)}-tld`,
    );
    const { id: upload_id } = await under.upload(accountId, names.join('\n'));
    await under.endOfUpload(accountId, upload_id);
    const [{ groups }] = await under.database.query<{ groups: number }>(
      'select jsonb_array_length(name_groups) as groups from uploads where id = $1',
      [upload_id],
    );
    expect(groups).toBe(1_001);
    const dryRun = await under.createJob(accountId, 'whois?dry_run=true', { upload_id });
    expect(dryRun).toMatchObject({
      counts: { unique: 1_500, unsupported: 1_500 },
      credits: { price: 0 },
    });
    expect(dryRun.tlds!.map(({ names: count }) => count)).toEqual(Array(100).fill(1));
  });

  it('a name whose upstream is not ready does not delay other names', async () => {
    const [accountId, other] = [newId(), newId()];
    lookup.found = (name) => (name.endsWith('.de') ? LATER : {});
    const domainNames = ['a.de', 'b.de', 'c.de', 'a.com', 'b.com'];
    const { id } = await under.createJob(accountId, 'whois', { domainNames });
    const others = await create(other, 'd.com');
    await waitFor('all that is ready', async () => {
      const { counts, state } = await jobOf(accountId, id);
      return counts.delivered === 2 && state === 'running';
    });
    await under.endOfJob(other, others.id);
    await under.gateway.call('POST', `/internal/jobs/${id}/cancel`, { accountId });
    expect(await under.endOfJob(accountId, id)).toMatchObject({
      state: 'canceled',
      credits: { price: 5, held: 0, charged: 2, released: 3 },
    });
  });
});

describe('several customers', () => {
  /** The number of chunks that are observed after the small job's. */
  const OBSERVED = 24;

  async function startLarge(accountId: string, word: string): Promise<string> {
    under.entitlement.balances.set(accountId, 100_000);
    const names = Array.from({ length: 30_000 }, (_, n) => `${word}-${n}.com`);
    const { id } = await under.upload(accountId, names.join('\n'));
    await under.endOfUpload(accountId, id);
    return running(accountId, { upload_id: id });
  }

  async function running(accountId: string, body: object): Promise<string> {
    const { id } = await under.createJob(accountId, 'dns', body);
    await waitFor('its chunks', async () => (await jobOf(accountId, id)).state === 'running');
    return id!;
  }

  it('customers share the work equally, and a small job waits for at most one chunk of the others', async () => {
    const [early, late, small] = [newId(), newId(), newId()];
    const first = lookup.calls.length;
    const order = () => lookup.calls.slice(first).map(({ accountId }) => accountId);
    lookup.hold();
    const jobs = [[early, await startLarge(early, 'early')]];
    await waitFor('all slots to be in use', () => order().length === CONCURRENCY);
    jobs.push([late, await startLarge(late, 'late')]);
    const domainNames = Array.from({ length: 100 }, (_, n) => `small-${n}.com`);
    await running(small, { domainNames });
    while (order().length < CONCURRENCY + 1 + OBSERVED) {
      const asked = order().length;
      lookup.letOneGo();
      await waitFor('the next chunk', () => order().length > asked);
    }
    const [next, ...others] = order().slice(CONCURRENCY, CONCURRENCY + 1 + OBSERVED);
    expect(next).toBe(small);
    const share = others.filter((accountId) => accountId === late).length / OBSERVED;
    expect(Math.abs(share - 0.5)).toBeLessThanOrEqual(0.05);
    for (const [accountId, id] of jobs) {
      await under.gateway.call('POST', `/internal/jobs/${id}/cancel`, { accountId });
    }
    lookup.letAllGo();
    for (const [accountId, id] of jobs) {
      const { counts, credits } = await under.endOfJob(accountId, id);
      expect(credits.charged).toBe(counts.delivered);
      expect(under.entitlement.charged(accountId)).toBe(counts.delivered);
    }
  });
});

describe('an older answer that the job accepts', () => {
  const before = (seconds: number) =>
    new Date(under.clock.now().getTime() - seconds * SECOND_MS).toISOString();

  it('an answer from the corpus has the normal price and its time of observation', async () => {
    const accountId = newId();
    const record = { create_date: '2024-01-02', registrant_contact: { name: 'Ada' } };
    const seen = (name: string, at: string) => ({ kind: 'whois', name, at, record });
    await corpus!.record(seen('known.com', before(50)), seen('old.com', before(500)));
    const domainNames = ['known.com', 'old.com', 'new.com'];
    const body = { domainNames, max_age: 100 };
    const done = await endOf(accountId, (await under.createJob(accountId, 'whois', body)).id);
    expect(done).toMatchObject({ state: 'completed', credits: { charged: 3 } });
    expect(domainNames.map(asksFor)).toEqual([0, 1, 1]);
    expect(await under.rowsOf(done)).toEqual([
      `known.com,delivered,1,,${before(50)}`,
      'new.com,delivered,1,,',
      'old.com,delivered,1,,',
    ]);
  });

  it('an older answer in a DNS job contains the records, and a name without records is free, as with a lookup', async () => {
    const accountId = newId();
    const seen = (name: string, records: object[]) => ({
      kind: 'dns',
      name,
      at: before(50),
      types: ['A', 'NS'],
      records,
    });
    await corpus!.record(
      seen('known-dns.com', [{ type: 'A', value: '192.0.2.7' }]),
      seen('empty-dns.com', [{ type: 'NS', value: 'ns.example' }]),
    );
    const body = {
      domainNames: ['known-dns.com', 'empty-dns.com'],
      types: ['A'],
      max_age: 100,
      format: 'json.gz',
    };
    const { id } = await under.createJob(accountId, 'dns', body);
    expect(await endOf(accountId, id)).toMatchObject({ credits: { charged: 1, released: 1 } });
    const { content } = await under.files.read(resultKey({ id: id!, format: 'json.gz' }));
    const lines = gunzipSync(Buffer.concat(await content.toArray()))
      .toString()
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        domain_name: 'known-dns.com',
        outcome: 'delivered',
        observed_at: before(50),
        answer: {
          dns_types: { A: 1 },
          dns_records: [{ type: 'A', raw_text: 'known-dns.com.\tIN\tA\t192.0.2.7' }],
        },
      },
      { domain_name: 'empty-dns.com', outcome: 'empty', credits: 0 },
    ]);
    expect(asksFor('known-dns.com')).toBe(0);
  });

  it('if the corpus is unavailable, every name is looked up', async () => {
    const accountId = newId();
    await corpus!.stop();
    corpus = undefined;
    const body = { domainNames: ['known.com'], max_age: 3_600 };
    const done = await endOf(accountId, (await under.createJob(accountId, 'whois', body)).id);
    expect(await under.rowsOf(done)).toEqual(['known.com,delivered,1,,']);
  });
});
