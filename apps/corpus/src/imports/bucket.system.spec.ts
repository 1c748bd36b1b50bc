import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CorpusUnderTest } from '#test/corpus';
import { S3Server, s3ServerAvailability } from '#test/environment';

/** If the server has not been built on this machine yet, it is built first. */
jest.setTimeout(1_900_000);

(s3ServerAvailability() === undefined ? describe : describe.skip)('a source on S3', () => {
  let folder: string;
  let server: S3Server;
  let corpus: CorpusUnderTest;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bucket-'));
    server = await S3Server.start(folder);
    const settings = server.settings();
    corpus = await CorpusUnderTest.start({
      work: 'serve',
      s3Endpoint: settings.FILES_S3_ENDPOINT,
      s3PathStyle: true,
      s3AccessKeyId: settings.FILES_S3_ACCESS_KEY_ID,
      s3SecretAccessKey: settings.FILES_S3_SECRET_ACCESS_KEY,
    });
  });
  afterAll(async () => {
    await corpus?.stop();
    await server?.stop();
    await rm(folder, { recursive: true });
  });

  const put = async (key: string, content: string | Buffer) => {
    const client = await server.client();
    await client.send(new PutObjectCommand({ Bucket: 'files', Key: key, Body: content }));
    client.destroy();
  };
  const add = async (name: string, location: string) =>
    corpus.sources.add({
      name,
      kind: 'names',
      location,
      isShown: true,
      isSold: false,
      isLookedUp: false,
    });

  it("delivers each file below the prefix once, in the order of the files' dates", async () => {
    await put('lists/b-20260102.txt', 'bucket-a.com\nbucket-b.com\n');
    await put('lists/a-20260103.txt.gz', gzipSync('bucket-c.com\n'));
    await put('other/c-20260101.txt', 'bucket-d.com\n');
    await put('lists/', '');
    await put('lists/New Names_2026-01-01.TXT', 'bucket-e.com\n');
    await add('bucket', 's3://files/lists');
    expect((await corpus.runSource('bucket')).problem).toBeNull();
    await corpus.runSource('bucket');
    const { files } = await corpus.sources.show('bucket');
    expect(files.map(({ file, state, newNames }) => [file, state, newNames])).toEqual([
      ['a-20260103.txt.gz', 'loaded', 1],
      ['b-20260102.txt', 'loaded', 2],
      ['New Names_2026-01-01.TXT', 'loaded', 1],
    ]);
  });

  it('may be below a prefix with capital letters and spaces', async () => {
    await put('Daily Lists/Names.txt', 'bucket-f.com\n');
    await add('capitals', 's3://files/Daily Lists');
    expect((await corpus.runSource('capitals')).file).toMatchObject({ newNames: 1 });
    for (const location of ['s3://Files/lists', 's3://', 's3:/files', 'files/lists']) {
      await expect(add('refused', location)).rejects.toMatchObject({ status: 400 });
    }
  });

  it('fails with a reason if the bucket does not exist', async () => {
    await add('nowhere', 's3://no-such-bucket/lists');
    expect((await corpus.runSource('nowhere')).problem).toMatch(/^The import failed/);
  });
});
