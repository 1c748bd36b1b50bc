import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { JobAnswer } from '#libs/contracts';
import { HOUR_MS, newId } from '#libs/platform';
import { isBlockedBy, waitFor } from '#test/environment';
import { QuestionsStandIn } from '../../../../test/worker/questions-stand-in.js';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { JobQueues } from '../jobs/job-queues.js';
import { ChunksJob } from './chunks.job.js';

describe('a job', () => {
  const under = new WorkerUnderTest();
  const lookup = new QuestionsStandIn();

  beforeAll(async () => {
    await lookup.start();
    await under.start(lookup.url);
  });
  afterEach(() => {
    under.entitlement.isElsewhere = false;
    lookup.found = () => ({});
  });
  afterAll(async () => {
    await under.stop();
    await lookup.stop();
  });

  const create = (accountId: string, body: object) => under.createJob(accountId, 'whois', body);
  async function validating(accountId: string, body: object) {
    under.entitlement.isElsewhere = true;
    const created = create(accountId, body).catch((error: unknown) => error);
    const id = await waitFor('its row', async () => {
      const sql = `select id from jobs where account_id = $1 and state = 'validating'`;
      return (await under.database.query<{ id: string }>(sql, [accountId]))[0]?.id;
    });
    return { id, created };
  }
  const isAsked = (name: string) => lookup.calls.some(({ names }) => names.includes(name));
  /** Returns the seconds until the last of an account's waiting chunks is tried again. */
  async function longestWait(accountId: string): Promise<number | undefined> {
    const [{ seconds }] = await under.database.query<{ seconds: number | null }>(
      `select extract(epoch from max(until) - clock_timestamp())::float8 as seconds
       from work where queue = 'chunks' and state = 'waiting' and account_id = $1`,
      [accountId],
    );
    return seconds ?? undefined;
  }

  it('a job looks nothing up, costs nothing and causes no e-mail if its account is deleted while its price is being reserved', async () => {
    const accountId = newId();
    const { id, created } = await validating(accountId, { domainNames: ['deleted.com'] });
    await under.database.transaction((transaction) =>
      under.accounts.remove(transaction, accountId),
    );
    under.entitlement.isElsewhere = false;
    await created;
    const done = await under.endOfJob(accountId, id);
    expect(done).toMatchObject({ state: 'canceled', credits: { charged: 0, released: 1 } });
    expect(isAsked('deleted.com')).toBe(false);
    expect(under.entitlement.openHolds(accountId)).toBe(0);
    const unsent = await under.database.query('select from mail where account_id = $1', [
      accountId,
    ]);
    const sent = (await under.mailbox.newest(50)).filter(({ to }) => to.startsWith(accountId));
    expect([...unsent, ...sent]).toEqual([]);
  });

  it('a job that was removed while its price was being reserved is not reported as started', async () => {
    const accountId = newId();
    const { id, created } = await validating(accountId, { domainNames: ['undone.com'] });
    await under.database.transaction(async (transaction) => {
      await transaction.query('select from jobs where id = $1 for update', [id]);
      under.entitlement.isElsewhere = false;
      await waitFor('the job to be marked as queued', () => isBlockedBy(transaction));
      await transaction.query('delete from jobs where id = $1', [id]);
    });
    expect(await created).toMatchObject({ status: 503, code: 'credits_busy' });
  });

  it('while a job is being split into chunks, it can be cancelled, and its account can start another one', async () => {
    const accountId = newId();
    let id: string | null = null;
    await under.database.transaction(async (transaction) => {
      await transaction.query('lock table job_chunks in share mode');
      ({ id } = await create(accountId, { domainNames: ['split.com'] }));
      await waitFor('the job to be split', () => isBlockedBy(transaction));
      await create(accountId, { domainNames: ['another.com'] });
      await under.gateway.call('POST', `/internal/jobs/${id}/cancel`, { accountId });
    });
    const done = await under.endOfJob(accountId, id);
    expect(done).toMatchObject({ state: 'canceled', credits: { charged: 0, released: 1 } });
    await waitFor('the other job', () => isAsked('another.com'));
    expect(isAsked('split.com')).toBe(false);
  });

  it('S105: the job of a suspended account ends at its deadline, without answers and free of charge', async () => {
    const accountId = newId();
    await under.database.transaction((transaction) =>
      under.accounts.changeSuspension(transaction, accountId, true),
    );
    const { id } = await create(accountId, { domainNames: ['halted.com'], deadline_hours: 1 });
    await waitFor('its chunk to wait', () => longestWait(accountId));
    under.clock.advance(HOUR_MS);
    const done = await waitFor('its end', async () => {
      await under.hurry(ChunksJob);
      const path = `/internal/jobs/${id}`;
      const job = await under.gateway.call<JobAnswer>('GET', path, { accountId });
      return job.finished_at === null ? undefined : job;
    });
    expect(done).toMatchObject({ counts: { failed: 1 }, credits: { charged: 0, released: 1 } });
    expect(isAsked('halted.com')).toBe(false);
  });

  it('the e-mail about a cancelled job counts the answers that were recorded last', async () => {
    const accountId = newId();
    const { id, created } = await validating(accountId, { domainNames: ['last.com'] });
    await under.gateway.call('POST', `/internal/jobs/${id}/cancel`, { accountId });
    const remaining = jest.spyOn(under.get(JobQueues).chunks, 'remaining');
    remaining.mockImplementationOnce(async () => {
      const sql = 'update jobs set delivered = 1, charged = 1 where id = $1';
      await under.database.query(sql, [id]);
      return 0;
    });
    under.entitlement.isElsewhere = false;
    await created;
    await under.endOfJob(accountId, id);
    remaining.mockRestore();
    const mail = await waitFor('its e-mail', async () =>
      (await under.mailbox.newest(50)).find(({ to }) => to === `${accountId}@payer.example`),
    );
    expect(mail.text).toContain('1 name with a charged answer, ');
  });

  it('a job charges no more than its price, even if a release has a source for names that had none', async () => {
    const accountId = newId();
    const { id, created } = await validating(accountId, { domainNames: ['old.com', 'new.com'] });
    await under.database.query('update jobs set unsupported = 1 where id = $1', [id]);
    under.entitlement.isElsewhere = false;
    await created;
    const { counts, credits } = await under.endOfJob(accountId, id);
    expect(counts.delivered).toBe(2);
    expect(credits).toEqual({ price: 1, held: 0, charged: 1, released: 0 });
  });

  it.each([
    ['no upstream is', ['parked.com']],
    ['an upstream is not', ['parked.com', 'ready.com']],
  ])(
    'no chunk waits beyond the job’s deadline, even if %s ready before that',
    async (_, domainNames) => {
      const accountId = newId();
      const later = { outcome: 'throttled', laterSeconds: 86_400 } as const;
      lookup.found = (name) => (name === 'parked.com' ? later : {});
      await create(accountId, { domainNames, deadline_hours: 1 });
      const seconds = await waitFor('a chunk to wait', () => longestWait(accountId));
      expect(seconds).toBeLessThanOrEqual(HOUR_MS / 1_000);
    },
  );
});
