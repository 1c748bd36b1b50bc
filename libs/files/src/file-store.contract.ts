import { createHash, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  FileChanged,
  FileExists,
  FileMissing,
  type FileStore,
  FileTooLarge,
  InvalidFileKey,
  RangeBeyondFile,
} from '#libs/files';

const MIB = 1024 * 1024;
const ENOUGH = { maxBytes: 64 * MIB };
/** Large enough for several parts of an upload, and not a multiple of their size. */
const LONG_BYTES = 17 * MIB + 12_345;

const INVALID_KEYS = [
  ['', 'nothing'],
  ['/a', 'an absolute path'],
  ['a/../b', 'a parent folder'],
  ['..', 'only a parent folder'],
  ['a//b', 'an empty part'],
  ['a/', 'a folder'],
  ['.making/x', 'a hidden folder'],
  ['A', 'a capital letter'],
  ['a b', 'a space'],
  ['a\\b', 'a backslash'],
  ['a\0', 'a zero byte'],
  ['ä', 'a letter outside ASCII'],
  ['x'.repeat(129), 'a part of 129 characters'],
  ['x/'.repeat(16) + 'x', '17 parts'],
  [`${'x'.repeat(120)}/`.repeat(4) + 'x'.repeat(40), '524 characters'],
] as const;

/** Tests the contract of every `FileStore`. `open` is called once and returns an empty store. */
export function fileStoreContract(name: string, open: () => Promise<FileStore>): void {
  describe(name, () => {
    let store: FileStore;

    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    const write = (key: string, text: string | Uint8Array) =>
      store.write(key, [Buffer.from(text)], ENOUGH);
    const textOf = async (key: string, range?: { first: number; last?: number }) =>
      (await bytesOf(store, key, range)).toString();
    const keysOf = async (prefix: string, limit = 1_000, after?: string) =>
      (await store.list(prefix, { limit, after })).files.map(({ key }) => key);

    it('a written file is read back unchanged, with its size, tag and time', async () => {
      const before = Date.now();
      const facts = await write('plain/a.txt', 'domain');
      expect(facts).toMatchObject({ key: 'plain/a.txt', sizeBytes: 6 });
      expect(facts.etag).toMatch(/^"[!#-~]+"$/);
      // The server's clock may count in whole seconds.
      expect(Math.abs(facts.modifiedAt.getTime() - before)).toBeLessThan(120_000);
      expect(await store.stat('plain/a.txt')).toEqual(facts);
      const opened = await store.read('plain/a.txt');
      expect([opened.facts, opened.range]).toEqual([facts, { first: 0, last: 5 }]);
      expect((await collected(opened.content)).toString()).toBe('domain');
    });

    it('an empty file is stored like any other', async () => {
      const facts = await store.write('plain/empty', [], { maxBytes: 0 });
      expect(facts.sizeBytes).toBe(0);
      expect(await textOf('plain/empty')).toBe('');
    });

    it('an absent file is reported as missing, and removing it is no error', async () => {
      expect(await store.stat('no/such')).toBeUndefined();
      await expect(store.read('no/such')).rejects.toThrow(FileMissing);
      await expect(store.copy('no/such', 'no/copy')).rejects.toThrow(FileMissing);
      await store.remove('no/such');
      await store.removeAll('no/');
      expect(await keysOf('no/')).toEqual([]);
    });

    it('a long file is written and read completely, in pieces of any size', async () => {
      const { pieces, digest } = longFile();
      const facts = await store.write('long/file', pieces(), ENOUGH);
      expect(facts.sizeBytes).toBe(LONG_BYTES);
      const hash = createHash('sha256');
      const { content } = await store.read('long/file');
      for await (const piece of content) hash.update(piece as Buffer);
      expect(hash.digest('hex')).toBe(digest);
    });

    it('a file is visible only when it is complete, and the previous file stays until then', async () => {
      await write('whole/file', 'before');
      let seen: unknown[] = [];
      async function* slow() {
        yield Buffer.alloc(9 * MIB, 'x');
        seen = [await textOf('whole/file'), await keysOf('whole/')];
        yield Buffer.from('end');
      }
      await store.write('whole/file', slow(), ENOUGH);
      expect(seen).toEqual(['before', ['whole/file']]);
      expect(await textOf('whole/file', { first: 9 * MIB })).toBe('end');
    });

    it.each([0, 9])(
      'a source that fails after %i MiB leaves no file, and the write rejects with its error',
      async (size) => {
        const fault = new Error('the upload was broken off');
        async function* broken() {
          yield Buffer.alloc(size * MIB + 1);
          throw fault;
        }
        await expect(store.write('broken/file', broken(), ENOUGH)).rejects.toBe(fault);
        expect(await keysOf('broken/')).toEqual([]);
      },
    );

    it.each([4, 9 * MIB])(
      'a file one byte longer than %i is rejected and not kept',
      async (size) => {
        const options = { maxBytes: size };
        const content = [Buffer.alloc(size), Buffer.alloc(1)];
        const folder = `large/${size}/`;
        const key = `${folder}file`;
        await expect(store.write(key, content, options)).rejects.toThrow(FileTooLarge);
        expect(await keysOf(folder)).toEqual([]);
        await store.write(key, content.slice(0, 1), options);
        expect((await store.stat(key))?.sizeBytes).toBe(size);
      },
    );

    it.each([1, 9 * MIB])(
      'exactly one of several simultaneous writers of %i bytes succeeds',
      async (size) => {
        const key = `first/${size}`;
        const writers = ['a', 'b', 'c'].map((letter) =>
          store.write(key, [Buffer.alloc(size, letter)], { ...ENOUGH, ifAbsent: true }).then(
            () => letter,
            (error: unknown) => error,
          ),
        );
        const ends = await Promise.all(writers);
        const winners = ends.filter((end) => typeof end === 'string');
        expect(winners).toHaveLength(1);
        expect(ends.filter((end) => end instanceof FileExists)).toHaveLength(2);
        expect(await textOf(key, { first: 0, last: 0 })).toBe(winners[0]);
        await store.remove(key);
        await store.write(key, [Buffer.from('d')], { ...ENOUGH, ifAbsent: true });
        expect(await textOf(key)).toBe('d');
      },
    );

    it('different content has a different tag, and a read with the old tag fails', async () => {
      const old = await write('tags/file', 'one');
      const now = await write('tags/file', 'two');
      expect(now.etag).not.toBe(old.etag);
      await expect(store.read('tags/file', { etag: old.etag })).rejects.toThrow(FileChanged);
      const { content } = await store.read('tags/file', { etag: now.etag });
      expect((await collected(content)).toString()).toBe('two');
    });

    it.each([
      [{ first: 0, last: 0 }, '0'],
      [{ first: 3 }, '3456789'],
      [{ first: 3, last: 5 }, '345'],
      [{ first: 8, last: 99 }, '89'],
    ])('a range returns exactly the requested bytes: %j', async (range, text) => {
      await write('ranges/file', '0123456789');
      expect(await textOf('ranges/file', range)).toBe(text);
      const { content, range: sent } = await store.read('ranges/file', { range });
      content.destroy();
      expect(sent).toEqual({ first: range.first, last: range.first + text.length - 1 });
    });

    it.each([{ first: 10 }, { first: 3, last: 2 }, { first: -1 }, { first: 0.5 }])(
      'a range without a byte of the file is rejected: %j',
      async (range) => {
        await write('ranges/file', '0123456789');
        await expect(store.read('ranges/file', { range })).rejects.toThrow(RangeBeyondFile);
      },
    );

    it('files are listed by their keys, page by page, and none is omitted', async () => {
      const keys = ['a', 'a-b', 'a.b', 'a/b', 'a/b.c', 'a0', 'b/c/d', 'b0'].map(
        (key) => `list/${key}.x`,
      );
      for (const key of keys.toReversed()) await write(key, key);
      await write('list2/other', 'x');
      const sorted = keys.toSorted();
      expect(await keysOf('list/')).toEqual(sorted);
      expect(await keysOf('list/a/')).toEqual(['list/a/b.c.x', 'list/a/b.x']);
      for (let limit = 1; limit <= keys.length + 1; limit++) {
        const seen: string[] = [];
        let after: string | undefined;
        do {
          const page = await store.list('list/', { limit, after });
          expect(page.files.length).toBeLessThanOrEqual(limit);
          seen.push(...page.files.map(({ key }) => key));
          after = page.next;
        } while (after !== undefined);
        expect(seen).toEqual(sorted);
      }
      const [facts] = (await store.list('list/b0.x'.slice(0, 5), { limit: 1 })).files;
      expect(facts).toEqual(await store.stat(facts.key));
    });

    it('a prefix is a folder: its files are removed, and files of neighbouring folders stay', async () => {
      for (const key of ['jobs/1/a', 'jobs/1/b/c', 'jobs/10/a', 'jobs/2']) await write(key, key);
      await store.removeAll('jobs/1/');
      expect(await keysOf('jobs/')).toEqual(['jobs/10/a', 'jobs/2']);
      await store.remove('jobs/2');
      expect(await keysOf('jobs/')).toEqual(['jobs/10/a']);
      // A removed folder can be created again.
      await write('jobs/1/a', 'again');
      expect(await textOf('jobs/1/a')).toBe('again');
    });

    it('short and long gzip members are joined into one file', async () => {
      // Random data does not compress, so some parts are smaller than the minimum of S3, and others larger.
      const sizes = [1, 3 * MIB, 6 * MIB, 5 * MIB - 9, 2, 11 * MIB, 100];
      const texts = sizes.map((size) => randomBytes(size));
      const keys = texts.map((_, place) => `members/${place}.gz`);
      for (const [place, text] of texts.entries()) {
        await store.write(keys[place], [gzipSync(text, { level: 1 })], ENOUGH);
      }
      const joined = await store.concatenate(keys, 'joined/all.gz');
      const members = await Promise.all(keys.map((key) => store.stat(key)));
      expect(joined.sizeBytes).toBe(members.reduce((sum, one) => sum + (one?.sizeBytes ?? 0), 0));
      const whole = gunzipSync(await bytesOf(store, 'joined/all.gz'));
      expect(whole.equals(Buffer.concat(texts))).toBe(true);
    });

    it('a few short files and an empty list can also be joined, and one file can be copied', async () => {
      await write('short/a', 'a');
      await write('short/b', 'b');
      await store.concatenate(['short/a', 'short/b', 'short/a'], 'short/c');
      expect(await textOf('short/c')).toBe('aba');
      await store.copy('short/c', 'short/d');
      expect(await textOf('short/d')).toBe('aba');
      expect((await store.concatenate([], 'short/e')).sizeBytes).toBe(0);
    });

    it.each(INVALID_KEYS)(
      'S75: %j is rejected as a key: %s',
      async (key: string, _what: string) => {
        const calls = [
          store.write(key, [], ENOUGH),
          store.read(key),
          store.stat(key),
          store.remove(key),
          store.copy('a', key),
          store.copy(key, 'a'),
          store.address(key, { lifetimeSeconds: 1, contentType: 'a/b', disposition: 'inline' }),
          store.list(`${key}/`, { limit: 1 }),
          store.removeAll(`${key}/`),
        ];
        const ends = await Promise.allSettled(calls);
        const reasons = ends.map((end) => end.status === 'rejected' && (end.reason as unknown));
        expect(reasons.filter((reason) => !(reason instanceof InvalidFileKey))).toEqual([]);
      },
    );

    it('a prefix that is not a folder, the removal of the whole store, and pages of 0 or more than 1,000 files are rejected', async () => {
      await expect(store.list('jobs', { limit: 1 })).rejects.toThrow(InvalidFileKey);
      await expect(store.removeAll('jobs')).rejects.toThrow(InvalidFileKey);
      await expect(store.removeAll('')).rejects.toThrow(RangeError);
      await expect(store.list('jobs/', { limit: 0 })).rejects.toThrow(RangeError);
      await expect(store.list('jobs/', { limit: 1_001 })).rejects.toThrow(RangeError);
    });

    it('S76: no address is valid for longer than 15 minutes', async () => {
      await write('links/file', 'x');
      const options = { contentType: 'text/csv', disposition: 'attachment' };
      for (const lifetimeSeconds of [0, 901, 1.5]) {
        const address = store.address('links/file', { ...options, lifetimeSeconds });
        await expect(address).rejects.toThrow(RangeError);
      }
    });

    it('the availability of the store can be checked', async () => {
      await expect(store.check()).resolves.toBeUndefined();
    });
  });
}

async function collected(content: AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

async function bytesOf(store: FileStore, key: string, range?: { first: number; last?: number }) {
  return collected((await store.read(key, { range })).content);
}

/** Returns a long file, in pieces of varying size, and its SHA-256 digest. */
function longFile() {
  const seed = randomBytes(32);
  const bytes = Buffer.concat(
    Array.from({ length: Math.ceil(LONG_BYTES / 32) }, (_, n) =>
      createHash('sha256').update(seed).update(String(n)).digest(),
    ),
  ).subarray(0, LONG_BYTES);
  function* pieces() {
    for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 300_007) {
      yield bytes.subarray(at, at + size);
    }
  }
  return { pieces, digest: createHash('sha256').update(bytes).digest('hex') };
}
