import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { FilesUnavailable, openFiles } from '#libs/files';
import { SystemClock, loadConfig } from '#libs/platform';
import { S3Server, makeOwnFolder, s3ServerAvailability } from '#test/environment';
import { fileStoreContract } from '../file-store.contract.js';
import { FilesConfig } from '../files.config.js';

/** The first run on a machine also builds the server. */
jest.setTimeout(1_900_000);

const MIB = 1024 * 1024;
const ENOUGH = { maxBytes: 64 * MIB };
const DOWNLOAD = {
  lifetimeSeconds: 60,
  contentType: 'text/csv',
  disposition: 'attachment; filename="names.csv"',
};

(s3ServerAvailability() === undefined ? describe : describe.skip)('an S3 server', () => {
  const folder = makeOwnFolder('s3');
  let server: S3Server;

  beforeAll(async () => {
    server = await S3Server.start(folder);
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const openAt = (owner: string, settings: Record<string, string> = {}) =>
    openFiles(
      loadConfig(FilesConfig, { ...server.settings(), ...settings }),
      owner,
      new SystemClock(),
    );

  fileStoreContract('files in a bucket', () => openAt('contract'));

  it('two owners in one bucket do not see each other’s files', async () => {
    const [one, other] = [await openAt('one'), await openAt('on')];
    await one.write('a', [Buffer.from('x')], ENOUGH);
    expect(await other.stat('a')).toBeUndefined();
    expect((await other.list('', { limit: 9 })).files).toEqual([]);
    expect((await one.list('', { limit: 9 })).files.map(({ key }) => key)).toEqual(['a']);
  });

  it('an interrupted upload, or an upload of a file that already exists, leaves no parts that cost money', async () => {
    const store = await openAt('parts');
    async function* broken() {
      yield Buffer.alloc(9 * MIB);
      throw new Error('broken off');
    }
    await store.write('there', [Buffer.alloc(1)], ENOUGH);
    const second = store.write('there', [Buffer.alloc(9 * MIB)], { ...ENOUGH, ifAbsent: true });
    await Promise.allSettled([store.write('file', broken(), ENOUGH), second]);
    const client = await server.client();
    const { Uploads = [] } = await client.send(
      new ListMultipartUploadsCommand({ Bucket: 'files', Prefix: 'dds/parts/' }),
    );
    client.destroy();
    expect(Uploads).toEqual([]);
  });

  it('S76, S79: an address gives access to one file, with one method and the signed headers', async () => {
    const store = await openAt('links');
    await store.write('file', [Buffer.from('0123456789')], ENOUGH);
    await store.write('other', [Buffer.from('secret')], ENOUGH);
    const address = (await store.address('file', DOWNLOAD)) as string;
    const answer = await fetch(address, { headers: { range: 'bytes=2-4' } });
    expect([answer.status, await answer.text()]).toEqual([206, '234']);
    expect(answer.headers.get('content-type')).toBe('text/csv');
    expect(answer.headers.get('content-disposition')).toBe(DOWNLOAD.disposition);
    const changed = [
      address.replace('/file?', '/other?'),
      address.replace('X-Amz-Expires=60', 'X-Amz-Expires=86400'),
      address.replace('names.csv', 'names.html'),
      address.replace('text%2Fcsv', 'text%2Fhtml'),
      address.replace(/(?<=X-Amz-Signature=)./, (digit) => (digit === '0' ? '1' : '0')),
      address.split('?')[0],
    ];
    expect(new Set([...changed, address]).size).toBe(changed.length + 1);
    const others = await Promise.all(changed.map((url) => fetch(url)));
    const removal = await fetch(address, { method: 'DELETE' });
    expect([...others, removal].map(({ status }) => status)).toEqual(
      Array.from({ length: changed.length + 1 }, () => 403),
    );
  });

  it('addresses use the public endpoint; if redirects are turned off, there are no addresses', async () => {
    const store = await openAt('links', { FILES_S3_PUBLIC_ENDPOINT: 'https://files.example.org' });
    const address = await store.address('file', DOWNLOAD);
    expect(new URL(address as string).origin).toBe('https://files.example.org');
    const closed = await openAt('links', { FILES_S3_REDIRECTS: 'false' });
    expect(await closed.address('file', DOWNLOAD)).toBeUndefined();
  });

  it('a rejected access key or a missing bucket is not reported as a missing file', async () => {
    const stranger = await openAt('keys', { FILES_S3_SECRET_ACCESS_KEY: 'not-the-secret' });
    await expect(stranger.stat('a')).rejects.toThrow(FilesUnavailable);
    await expect(stranger.check()).rejects.toThrow();
    const elsewhere = await openAt('a', { FILES_LOCATION: 's3://no-such-bucket' });
    await expect(elsewhere.check()).rejects.toThrow();
    const writing = elsewhere.write('a', [Buffer.alloc(1)], ENOUGH);
    await expect(writing).rejects.toThrow(FilesUnavailable);
  });
});
