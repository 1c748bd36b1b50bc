import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { FilesConfig, type FileStore, openFiles } from '#libs/files';
import { SystemClock, loadConfig, newId } from '#libs/platform';
import { makeOwnFolder } from '#test/environment';
import { type Job, partsFolder, resultKey } from '../jobs/job.js';
import { ResultFilesService } from './result-files.service.js';

const folder = makeOwnFolder('joined-parts');
const { signal } = new AbortController();
let files: FileStore;

beforeAll(async () => {
  const config = loadConfig(FilesConfig, { FILES_LOCATION: folder });
  files = await openFiles(config, 'worker', new SystemClock());
});
afterAll(() => files.close());

it('an interrupted join of very many files continues with the groups that are already joined', async () => {
  const job = {
    id: newId(),
    kind: 'dns',
    format: 'json.gz',
    leftOutPart: null,
    leftOutRows: 0,
  } as Job;
  const results = new ResultFilesService(files);
  results.joinedMax = 20;
  const parts = Array.from({ length: results.joinedMax + 9 }, (_, place) => ({
    part: `${partsFolder(job.id)}${place}.gz`,
    rows: 1,
  }));
  mkdirSync(join(folder, 'worker', partsFolder(job.id)), { recursive: true });
  const row = gzipSync('x');
  for (const { part } of parts) writeFileSync(join(folder, 'worker', part), row);
  const groups = async () => {
    const found = await files.list(partsFolder(job.id), {
      limit: 1_000,
      after: `${partsFolder(job.id)}joined`,
    });
    return found.files.filter(({ key }) => key.includes('joined'));
  };

  const first = await results.join(job, parts, signal);
  const joined = await groups();
  expect(joined).toHaveLength(2);
  await files.remove(resultKey(job));
  expect(await results.join(job, parts, signal)).toEqual(first);
  // Each write of a file gives it another tag.
  expect(await groups()).toEqual(joined);
  // After a restore, the job may have other files.
  await results.join(job, parts.toReversed(), signal);
  expect(await groups()).toHaveLength(4);
  const { content } = await files.read(resultKey(job));
  const text = gunzipSync(Buffer.concat(await content.toArray())).toString();
  expect(text).toBe('x'.repeat(parts.length));
  await expect(results.join(job, parts, AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
    'stopped',
  );
});
