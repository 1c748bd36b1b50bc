import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type FileStore, FilesUnavailable, openFiles } from '#libs/files';
import { SystemClock, loadConfig } from '#libs/platform';
import { waitFor } from '#test/environment';
import { FilesConfig } from '../files.config.js';
import { PART_BYTES } from './s3-upload.js';

const MIB = 1024 * 1024;
const LONG_BYTES = 64 * MIB;
/** The memory that unfinished parts may take in a process. */
const HELD_MAX = 128 * MIB;
const ENOUGH = { maxBytes: LONG_BYTES };

let server: Server;
let store: FileStore;

async function open(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  server = createServer((request, response) => {
    request.resume().once('end', () => answer(request, response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const settings = {
    FILES_LOCATION: 's3://files/dds',
    FILES_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    FILES_S3_PATH_STYLE: 'true',
    FILES_S3_ACCESS_KEY_ID: 'access',
    FILES_S3_SECRET_ACCESS_KEY: 'secret-of-a-key',
  };
  store = await openFiles(loadConfig(FilesConfig, settings), 'worker', new SystemClock());
}
afterEach(async () => {
  await store.close();
  server.closeAllConnections();
  server.close();
});

const FOUND = { etag: '"1"', 'content-length': LONG_BYTES };

describe('slow clients of a bucket', () => {
  it('S102: a hundred downloads that nobody reads do not block other calls', async () => {
    await open(({ method }, response) => {
      response.writeHead(200, FOUND);
      if (method === 'HEAD') response.end();
      else response.write(Buffer.alloc(MIB));
    });
    const files = await Promise.all(Array.from({ length: 100 }, () => store.read('file')));
    expect((await store.stat('other'))?.sizeBytes).toBe(LONG_BYTES);
    for (const { content } of files) content.on('error', () => {}).destroy();
  });

  it('S102: stalled uploads take a limited amount of memory, and give way to other uploads', async () => {
    await open(
      ({ method }, response) => void response.writeHead(200, method === 'HEAD' ? FOUND : {}).end(),
    );
    const bytes = Buffer.alloc(PART_BYTES - 1);
    let waiting = 0;
    async function* stalled() {
      yield bytes;
      waiting++;
      await new Promise(() => {});
    }
    const fit = Math.floor(HELD_MAX / bytes.length);
    const ended: number[] = [];
    const faults: unknown[] = [];
    for (let at = 0; at < fit + 2; at++) {
      store.write(`slow/${at}`, stalled(), ENOUGH).catch((error: unknown) => {
        ended.push(at);
        faults.push(error);
      });
      await waitFor('the upload', () => waiting > at);
    }
    await waitFor('the oldest uploads to end', () => ended.length === 2);
    expect(ended).toEqual([0, 1]);
    expect(faults.every((fault) => fault instanceof FilesUnavailable)).toBe(true);
    await store.write('quick', [Buffer.alloc(MIB)], ENOUGH);
  });

  it('the removal of a folder fails, instead of running forever, if the bucket keeps listing the removed files', async () => {
    let listings = 0;
    const keys = ['a', 'b'].map((name) => `<Contents><Key>dds/worker/f/${name}</Key></Contents>`);
    const list = `<ListBucketResult><IsTruncated>true</IsTruncated>${keys.join('')}</ListBucketResult>`;
    await open(({ method }, response) => {
      if (method === 'GET') listings++;
      response.writeHead(200).end(method === 'GET' ? list : '<DeleteResult></DeleteResult>');
    });
    await expect(store.removeAll('f/')).rejects.toThrow(FilesUnavailable);
    expect(listings).toBe(2);
  });
});

describe('short files of a bucket', () => {
  it('are joined without waiting for each of them in turn', async () => {
    let waiting: (() => void)[] = [];
    let isJoined = false;
    await open(({ method }, response) => {
      const answer = () => {
        response.writeHead(200, { etag: '"1"', 'content-length': 1 });
        response.end(method === 'GET' ? 'x' : undefined);
      };
      if (method === 'PUT') {
        isJoined = true;
        return void response.writeHead(200).end();
      }
      if (isJoined) return answer();
      // Until then, each call is answered only once another one is waiting, too.
      waiting.push(answer);
      if (waiting.length === 1) return;
      for (const go of waiting) go();
      waiting = [];
    });
    const keys = Array.from({ length: 6 }, (_, place) => `parts/${place}`);
    await store.concatenate(keys, 'all');
  });
});
