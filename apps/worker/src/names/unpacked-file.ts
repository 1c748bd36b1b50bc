import type { Readable } from 'node:stream';
import { PassThrough, Transform, pipeline } from 'node:stream';
import { crc32, createGunzip } from 'node:zlib';
import { type Entry, RandomAccessReader, type ZipFile, fromRandomAccessReader } from 'yauzl';
import { UPLOAD_BYTES_MAX } from '#libs/contracts';
import { type FileStore, RangeBeyondFile } from '#libs/files';
import { UnreadableFile } from './unreadable-file.js';

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZIP = Buffer.from('PK');
const MAGIC_BYTES = 2;
/** Bytes that do not occur in text (S73). */
// oxlint-disable-next-line eslint/no-control-regex -- the expression finds control characters
const NO_TEXT = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;
const UTF16 = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];
const FOLDER_TYPE = 0o040000;
const LINK_TYPE = 0o120000;
const TYPE_MASK = 0o170000;

/**
 * Yields the text in a file, unpacked if necessary (S71 to S73). The file's bytes determine its
 * type, not its name.
 * @throws UnreadableFile; the store's errors.
 */
export async function* unpacked(files: FileStore, key: string): AsyncGenerator<Buffer> {
  const facts = await files.stat(key);
  const start = facts?.sizeBytes ? await startOf(files, key) : Buffer.alloc(0);
  const isGzip = start.equals(GZIP);
  const isPacked = isGzip || start.equals(ZIP);
  const content = isGzip
    ? gunzipped((await files.read(key)).content)
    : isPacked
      ? await onlyEntry(files, key, facts!.sizeBytes)
      : (await files.read(key)).content;
  try {
    yield* checked(content, isPacked);
  } catch (error) {
    throw isPacked && isDamage(error) ? new UnreadableFile('broken_archive', error) : error;
  } finally {
    content.destroy();
  }
}

async function startOf(files: FileStore, key: string): Promise<Buffer> {
  const { content } = await files.read(key, { range: { first: 0, last: MAGIC_BYTES - 1 } });
  return Buffer.concat(await content.toArray());
}

function gunzipped(content: Readable): Readable {
  const gunzip = createGunzip();
  // The error is passed to the reader of the text.
  pipeline(content, gunzip, () => {});
  return gunzip;
}

async function* checked(content: Readable, wasPacked: boolean): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    if (bytes === 0) checkStart(chunk, wasPacked);
    bytes += chunk.length;
    if (bytes > UPLOAD_BYTES_MAX) throw new UnreadableFile('too_large_unpacked');
    if (NO_TEXT.test(chunk.toString('latin1'))) throw new UnreadableFile('not_text');
    yield chunk;
  }
}

function checkStart(chunk: Buffer, wasPacked: boolean): void {
  const start = chunk.subarray(0, MAGIC_BYTES);
  if (wasPacked && (start.equals(GZIP) || chunk.subarray(0, 4).equals(Buffer.from('PK\x03\x04')))) {
    throw new UnreadableFile('nested_archive');
  }
  if (UTF16.some((mark) => start.equals(mark))) throw new UnreadableFile('not_text');
}

/** Whether an error comes from zlib or yauzl, and not from the store. */
function isDamage(error: unknown): boolean {
  const { code = '', constructor: kind } = error as { code?: unknown; constructor: unknown };
  return String(code).startsWith('Z_') || (kind === Error && code === '');
}

/** Opens the only entry of a ZIP file, whatever its name (S72). @throws UnreadableFile; the store's errors. */
async function onlyEntry(files: FileStore, key: string, sizeBytes: number): Promise<Readable> {
  const reader = new StoredFile(files, key);
  const fault = (error: unknown) => reader.fault ?? new UnreadableFile('broken_archive', error);
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    const options = { lazyEntries: true, decodeStrings: false, autoClose: false } as const;
    fromRandomAccessReader(reader, sizeBytes, options, (error, opened) =>
      error ? reject(fault(error)) : resolve(opened),
    );
  });
  if (zip.entryCount !== 1) throw new UnreadableFile('not_one_entry');
  const entry = await new Promise<Entry>((resolve, reject) => {
    zip.once('entry', resolve);
    zip.once('end', () => reject(new UnreadableFile('not_one_entry')));
    zip.once('error', (error) => reject(fault(error)));
    zip.readEntry();
  });
  if (!isPlainFile(entry)) throw new UnreadableFile('not_one_entry');
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, content) =>
      error ? reject(fault(error)) : resolve(whole(content, entry.crc32)),
    );
  });
}

/** Returns the content of an entry. Compares its checksum, because yauzl does not. */
function whole(content: Readable, checksum: number): Readable {
  let sum = 0;
  const compared = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum);
      done(null, chunk);
    },
    flush: (done) => done(sum === checksum ? null : new UnreadableFile('broken_archive')),
  });
  // The reader of the stream gets the error.
  pipeline(content, compared, () => {});
  return compared;
}

function isPlainFile(entry: Entry): boolean {
  const type = (entry.externalFileAttributes >>> 16) & TYPE_MASK;
  const isFolder = entry.fileNameRaw.at(-1) === '/'.charCodeAt(0);
  return !isFolder && type !== LINK_TYPE && type !== FOLDER_TYPE && !entry.isEncrypted();
}

class StoredFile extends RandomAccessReader {
  /** The last error of the store, which says nothing about the archive. */
  fault?: unknown;

  constructor(
    private readonly files: FileStore,
    private readonly key: string,
  ) {
    super();
  }

  /** @param end the position after the last byte. */
  override _readStreamForRange(start: number, end: number): Readable {
    const content = new PassThrough();
    this.files.read(this.key, { range: { first: start, last: end - 1 } }).then(
      (opened) => pipeline(opened.content, content, () => {}),
      (error: unknown) => {
        // A `RangeBeyondFile` means that the archive refers to a position beyond its end.
        const isDamage = error instanceof RangeBeyondFile;
        if (!isDamage) this.fault = error;
        content.destroy(isDamage ? new UnreadableFile('broken_archive', error) : (error as Error));
      },
    );
    return content;
  }

  override close(done: (error: Error | null) => void): void {
    done(null);
  }
}
