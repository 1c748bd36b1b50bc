import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { RemoveFilesJob } from '../results/remove-files.job.js';

const under = new WorkerUnderTest();

beforeAll(() => under.start());
afterAll(() => under.stop());

it('a form that a later form with the same key has replaced leaves no file behind, even if it was complete', async () => {
  const accountId = newId();
  const key = '--edge\r\nContent-Disposition: form-data; name="idempotency_key"\r\n\r\nonce\r\n';
  const body = new PassThrough();
  const headers = { 'content-type': 'multipart/form-data; boundary=edge' };
  const first = under.send('POST', '/internal/uploads', { accountId, headers, body });
  body.write(
    `${key}--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\none.com\r\n`,
  );
  const id = await waitFor('the first upload', async () => {
    const sql = 'select id from uploads where account_id = $1';
    return (await under.database.query<{ id: string }>(sql, [accountId]))[0]?.id;
  });
  const { id: replacing } = await under.upload(accountId, 'two.com\n', key);
  await waitFor('the removal of its folder', async () => {
    await under.get(RemoveFilesJob).runOnce();
    const sql = `select from work where queue = 'unneeded-files' and name = $1`;
    return (await under.database.query(sql, [`uploads/${id}/`])).length === 0;
  });
  body.end('two.com\r\n--edge--\r\n');
  const { status, text } = await first;
  expect([status, JSON.parse(text).code]).toEqual([409, 'idempotency_key_running']);
  expect(await under.filesOf(id)).toEqual([]);
  expect(await under.endOfUpload(accountId, replacing)).toMatchObject({ counts: { lines: 1 } });
});
