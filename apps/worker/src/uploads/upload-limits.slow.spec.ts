import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UPLOAD_BYTES_MAX } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { ReadQueue } from './upload-queues.js';
import { UploadsRepository } from './uploads.repository.js';

const PATH = '/internal/uploads';
const TUS = { 'tus-resumable': '1.0.0' };
const NAMES = 'name-1.com\nNAME-1.com\nno name\n\nname-2.de\n';
/** The number of lines, including the blank line in the text and the empty one after the last line ending. */
const LINES_READ = 6;
/** A hundred and more blocks of the table. */
const OTHERS_JOBS = 5_000;
const COUNTED = { lines: 4, unique: 2, invalid: 1, duplicates: 1 };

type BlocksRead = Record<'Shared Hit Blocks' | 'Shared Read Blocks', number>;

describe('the uploads of an account', () => {
  const under = new WorkerUnderTest();

  beforeAll(() => under.start());
  afterAll(() => under.stop());

  it('409: an account has at most ten uploads, and must delete one before it adds another', async () => {
    const accountId = newId();
    const uploads = await Promise.all(
      Array.from({ length: 10 }, () => under.upload(accountId, NAMES)),
    );
    const refused = await under.sendForm(accountId, NAMES);
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
      409,
      { code: 'uploads_full' },
    ]);
    const path = `${PATH}/${uploads[0].id}`;
    await under.endOfUpload(accountId, uploads[0].id);
    const deleted = await under.send('DELETE', path, { accountId, headers: TUS });
    expect(deleted.status).toBe(204);
    await under.upload(accountId, NAMES);
    const [{ count }] = await under.database.query<{ count: string }>(
      'select count(*) from name_lines where list_id = $1',
      [uploads[0].id],
    );
    expect(count).toBe('0');
  });

  it('S102: simultaneous removals of an account wait without database connections', async () => {
    const accountId = newId();
    const { id } = await under.upload(accountId, NAMES);
    await under.endOfUpload(accountId, id);
    const other = { accountId: newId(), id: '' };
    other.id = (await under.upload(other.accountId, NAMES)).id;
    await under.endOfUpload(other.accountId, other.id);
    const waiting = async () => {
      const [{ count }] = await under.database.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
      );
      return count;
    };
    const remove = (owner: string, upload: string) =>
      under.send('DELETE', `${PATH}/${upload}`, { accountId: owner });
    let removals: ReturnType<typeof remove>[] = [];
    await under.database.transaction(async (transaction) => {
      await transaction.query('select from uploads where id = $1 for update', [id]);
      removals = Array.from({ length: 5 }, () => remove(accountId, id));
      await waitFor('a removal to wait', async () => (await waiting()) > 0);
      // A removal by another account would come after theirs.
      expect((await remove(other.accountId, other.id)).status).toBe(204);
      expect(await waiting()).toBe(1);
    });
    const statuses = (await Promise.all(removals)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([204, 404, 404, 404, 404]);
  });

  it('deleting an upload reads only the jobs of its own account', async () => {
    const accountId = newId();
    const { id } = await under.upload(accountId, NAMES);
    await under.endOfUpload(accountId, id);
    await under.database.query(
      `insert into jobs (id, account_id, kind, state, format, max_age_seconds, list_id, lines, unique_names, invalid,
         invalid_lines, created_at, deadline_at)
       select gen_random_uuid(), gen_random_uuid(), 'dns', 'canceled', 'csv.gz', 0, gen_random_uuid(), 1, 1, 0, '[]',
         now(), now()
       from generate_series(1, $1)`,
      [OTHERS_JOBS],
    );
    await under.database.query('analyze jobs');
    const blocks: number[] = [];
    const query = async (sql: string, parameters: unknown[]) => {
      const [answer] = await under.database.query<{ 'QUERY PLAN': [{ Plan: BlocksRead }] }>(
        `explain (analyze, buffers, format json) ${sql}`,
        parameters,
      );
      const plan = answer['QUERY PLAN'][0].Plan;
      blocks.push(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
      return [answer];
    };
    await new UploadsRepository().delete({ query } as unknown as Transaction, { id, accountId });
    await under.database.query('delete from jobs where deadline_at = created_at');
    expect(blocks).toHaveLength(4);
    expect(Math.max(...blocks)).toBeLessThan(30);
  });

  it('S71: unread uploads may total at most 1.5 GiB', async () => {
    const accountId = newId();
    const begin = (bytes: number) =>
      under.send('POST', PATH, { accountId, headers: { ...TUS, 'upload-length': String(bytes) } });
    const first = await begin(UPLOAD_BYTES_MAX);
    expect([first.status, (await begin(UPLOAD_BYTES_MAX)).status]).toEqual([201, 201]);
    const refused = await begin(1);
    expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('1.5 GiB') });
    const path = `${PATH}/${String(first.headers.location).split('/').pop()}`;
    await under.send('DELETE', path, { accountId, headers: TUS });
    expect((await begin(1)).status).toBe(201);
  });

  it('S71: uploads may have at most 6,000,000 lines in total', async () => {
    const accountId = newId();
    const first = await under.upload(accountId, NAMES);
    await under.endOfUpload(accountId, first.id);
    await under.database.query(`update uploads set lines = 5999996 where id = $1`, [first.id]);
    const endOf = async (content: string) =>
      under.endOfUpload(accountId, (await under.upload(accountId, content)).id);
    expect(await endOf(NAMES)).toMatchObject({ state: 'ready', counts: COUNTED });
    const refused = await endOf('one-more.com\n');
    expect(refused).toMatchObject({ state: 'refused', refusal: { reason: 'too_many_lines' } });
    expect(refused.refusal!.detail).toContain('Delete uploads that you no longer need');
    const left = 'select from name_lines where list_id = $1';
    expect(await under.database.query(left, [refused.id])).toEqual([]);
    await under.send('DELETE', `${PATH}/${first.id}`, { accountId, headers: TUS });
    expect(await endOf('one-more.com\n')).toMatchObject({ state: 'ready' });
  });

  it('S71: at most 30,000,000 lines are read within a day, including lines of deleted files', async () => {
    const accountId = newId();
    // A line of 64 KiB takes as long to read as 245 short lines.
    for (const content of ['one.com\n\ntwo.com\n', `one.com\n${'"'.repeat(65_526)}\n`]) {
      const { id } = await under.upload(accountId, content);
      await under.endOfUpload(accountId, id);
      await under.send('DELETE', `${PATH}/${id}`, { accountId, headers: TUS });
    }
    const own = `account_id = '${accountId}' and subject = 'upload lines'`;
    const [{ count }] = await under.database.query<{ count: number }>(
      `update daily_counts set count = count + 29999751 where ${own} returning count`,
    );
    expect(count).toBe(30_000_000);
    const refused = await under.sendForm(accountId, 'three.com\n');
    expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('30,000,000') });
    await under.database.query(`update daily_counts set day = day - 1 where ${own}`);
    expect(await under.upload(accountId, 'three.com\n')).toBeDefined();
  });

  it('S71: an upload that was begun before the limit of a day was reached is not read after it', async () => {
    const accountId = newId();
    const { database } = under;
    const queue = under.worker.app.get(ReadQueue, { strict: false });
    await queue.pause(database, 3_600);
    const { id } = await under.upload(accountId, NAMES);
    await database.query(
      `update daily_counts set count = 30000000 where account_id = $1 and subject = 'upload lines'`,
      [accountId],
    );
    await queue.pause(database, 0);
    const { state, refusal } = await under.endOfUpload(accountId, id);
    expect(state).toBe('refused');
    expect(refusal!.detail).toContain('tomorrow');
  });

  it('S71: an upload is rejected if reading it takes too long twice, and every attempt is counted', async () => {
    const accountId = newId();
    const { database } = under;
    const queue = under.worker.app.get(ReadQueue, { strict: false });
    await queue.pause(database, 3_600);
    const { id } = await under.upload(accountId, NAMES);
    await database.transaction(async (transaction) => {
      // The names are read and counted, but cannot be recorded. The waiting statement is cancelled like one that takes
      // too long.
      const lock = `select pg_advisory_xact_lock(hashtextextended('uploads ' || $1, 0))`;
      await transaction.query(lock, [accountId]);
      await queue.pause(database, 0);
      for (const attempt of [1, 2]) {
        await waitFor(`attempt ${attempt}`, async () => {
          await database.query(`update work set until = clock_timestamp()
            where queue = 'upload-reads' and state = 'waiting'`);
          const ended = await database.query(`select pg_cancel_backend(l.pid)
            from pg_locks l join pg_database d on d.oid = l.database
            where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`);
          return ended.length > 0;
        });
        await waitFor('the lines of each attempt to be counted', async () => {
          const [row] = await database.query<{ count: number }>(
            `select count from daily_counts where account_id = $1 and subject = 'upload lines'`,
            [accountId],
          );
          return row?.count === attempt * LINES_READ;
        });
      }
    });
    const { state, refusal } = await under.endOfUpload(accountId, id);
    expect(state).toBe('refused');
    expect(refusal!.detail).toContain('too long');
  });

  it('an upload is rejected after the last attempt if the fault is not in the file', async () => {
    const accountId = newId();
    const { database } = under;
    const queue = under.worker.app.get(ReadQueue, { strict: false });
    await queue.pause(database, 3_600);
    const { id } = await under.upload(accountId, NAMES);
    await database.query(`update uploads set pieces = '{missing}' where id = $1`, [id]);
    await database.query(`update work set tries = 10 where queue = 'upload-reads'`);
    await queue.pause(database, 0);
    expect(await under.endOfUpload(accountId, id)).toMatchObject({
      state: 'refused',
      refusal: { reason: 'not_read' },
    });
  });

  it('an upload that consists of too many pieces says so, and that larger ones would help', async () => {
    const accountId = newId();
    const headers = { ...TUS, 'upload-length': '1001' };
    const path = String((await under.send('POST', PATH, { accountId, headers })).headers.location);
    await under.database.query(
      `update uploads set pieces = array_fill('piece'::text, array[1000]) where account_id = $1`,
      [accountId],
    );
    const piece = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
    const sent = { accountId, headers: { ...TUS, ...piece }, body: 'a' };
    const { status, text } = await under.send('PATCH', path, sent);
    expect([status, JSON.parse(text)]).toMatchObject([
      413,
      { code: 'payload_too_large', detail: expect.stringContaining('larger pieces') },
    ]);
  });

  it('S130: at most 500 uploads are begun within a day, even if some are deleted', async () => {
    const accountId = newId();
    const { id } = await under.upload(accountId, NAMES);
    await under.endOfUpload(accountId, id);
    await under.send('DELETE', `${PATH}/${id}`, { accountId, headers: TUS });
    await under.database.query(
      `update daily_counts set count = count + 498 where account_id = $1 and subject = 'uploads'`,
      [accountId],
    );
    await under.upload(accountId, NAMES);
    const refused = await under.sendForm(accountId, NAMES);
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
      409,
      { code: 'uploads_full' },
    ]);
    await under.upload(newId(), NAMES);
    await under.database.query('update daily_counts set day = day - 1 where account_id = $1', [
      accountId,
    ]);
    await under.upload(accountId, NAMES);
  });

  it('S105: an account’s uploads are read one at a time, so that uploads of other accounts do not wait for large ones', async () => {
    const [large, small] = [newId(), newId()];
    const queue = under.worker.app.get(ReadQueue, { strict: false });
    await queue.pause(under.database, 3_600);
    const uploads = [await under.upload(large, NAMES), await under.upload(large, NAMES)];
    await under.database.transaction(async (transaction) => {
      // Reading the large uploads cannot finish.
      await transaction.query('select from uploads where account_id = $1 for update', [large]);
      await queue.pause(under.database, 0);
      await waitFor('the large ones to have had their turn', async () => {
        const ready = `select from work where queue = 'upload-reads' and state = 'ready'`;
        return (await under.database.query(ready)).length === 0;
      });
      const other = await under.upload(small, NAMES);
      expect(await under.endOfUpload(small, other.id)).toMatchObject({ state: 'ready' });
    });
    for (const { id } of uploads) {
      expect(await under.endOfUpload(large, id)).toMatchObject({ state: 'ready' });
    }
  });

  it('S105: long uploads are read one at a time, so that short ones always find a free slot', async () => {
    const long = [newId(), newId()];
    const queue = under.worker.app.get(ReadQueue, { strict: false });
    await queue.pause(under.database, 3_600);
    const packed = gzipSync('long.com\n'.repeat(50_000));
    const uploads = await Promise.all(long.map((accountId) => under.upload(accountId, packed)));
    const ids = uploads.map(({ id }) => id);
    await under.database.transaction(async (transaction) => {
      // The long uploads cannot be read to their end.
      await transaction.query('select from uploads where id = any ($1) for update', [ids]);
      await queue.pause(under.database, 0);
      await waitFor('the long ones to have had their turn', async () => {
        const begun = 'select from work where name = any ($1) and epoch > 0';
        return (await under.database.query(begun, [ids])).length === 2;
      });
      const other = newId();
      const { id } = await under.upload(other, NAMES);
      expect(await under.endOfUpload(other, id)).toMatchObject({ state: 'ready' });
    });
    for (const [place, accountId] of long.entries()) {
      const read = await under.endOfUpload(accountId, ids[place]);
      expect(read).toMatchObject({ state: 'ready', counts: { lines: 50_000, unique: 1 } });
    }
  });

  it('S105: uploads wait for each other only while one is recorded, not while its names are counted', async () => {
    const accountId = newId();
    const queue = under.worker.app.get(ReadQueue, { strict: false });
    await queue.pause(under.database, 3_600);
    const { id } = await under.upload(accountId, NAMES);
    await under.database.transaction(async (transaction) => {
      const lock = `select pg_advisory_xact_lock(hashtextextended('uploads ' || $1, 0))`;
      await transaction.query(lock, [accountId]);
      await queue.pause(under.database, 0);
      await waitFor('the counted names', async () => {
        const counted = await under.database.query(
          `select from pg_locks waiting join pg_locks held using (pid)
           where waiting.locktype = 'advisory' and not waiting.granted
             and held.relation = 'name_lines'::regclass and held.mode = 'AccessShareLock'`,
        );
        return counted.length > 0;
      });
    });
    expect(await under.endOfUpload(accountId, id)).toMatchObject({ state: 'ready' });
  });
});
