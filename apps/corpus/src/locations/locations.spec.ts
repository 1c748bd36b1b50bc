import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { FileStore } from '#libs/files';
import type { HttpsDownloads } from './https-downloads.js';
import { Locations } from './locations.js';

const BYTES_MAX = 10;
const GIB = 2 ** 30;

it('a file on S3 that is too large is cut off, and does not stop later files from being imported', async () => {
  const importFolder = await mkdtemp(join(tmpdir(), 'locations-'));
  const content = async function* () {
    for (;;) yield Buffer.from('too-large.com\n');
  };
  const modifiedAt = new Date('2026-01-01T00:00:00Z');
  const store = {
    list: async () => ({
      files: ['large-20260101.txt', 'small-20260102.txt'].map((key) => ({
        key,
        etag: key,
        modifiedAt,
      })),
    }),
    read: async (key: string) => ({
      content: key.startsWith('large') ? content() : [Buffer.from('a.com\n')],
    }),
    close: async () => {},
  } as unknown as FileStore;
  const config = { importFolder, importMaxGib: BYTES_MAX / GIB };
  const locations = new Locations(config, {} as HttpsDownloads, async () => store);
  const found: [string, string][] = [];
  const { signal } = new AbortController();
  const isKnown = async () => false;
  const asked = { location: 's3://files/lists' };
  for await (const { file, path } of locations.filesOf(asked, new Date(), isKnown, signal)) {
    found.push([file, await readFile(path, 'utf8')]);
  }
  expect(found).toEqual([
    ['large-20260101.txt', 'too-large.com\n'],
    ['small-20260102.txt', 'a.com\n'],
  ]);
  await rm(importFolder, { recursive: true });
});
