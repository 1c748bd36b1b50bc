import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BadFile } from './import-file.js';

export interface CheckedFile {
  /** SHA-256. */
  digest: string;
  lines: number;
  /** Whether the last line has a line ending. */
  isEnded: boolean;
}

export interface FileLimits {
  unpackedBytesMax: number;
}

/** Content that unpacks to more than this must be at most `RATIO_MAX` times as large as the packed file. */
const RATIO_FROM_BYTES = 64 * 1024 * 1024;
const RATIO_MAX = 200;
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;
const GZIP = [0x1f, 0x8b];
const REFUSED: readonly [number[], string][] = [
  [[0x50, 0x4b, 0x03, 0x04], 'It is a zip archive. Unpack it, or compress it with gzip.'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'It is compressed with zstd. Unpack it, or compress it with gzip.'],
  [[0x42, 0x5a, 0x68], 'It is compressed with bzip2. Unpack it, or compress it with gzip.'],
  [[0xfd, 0x37, 0x7a, 0x58], 'It is compressed with xz. Unpack it, or compress it with gzip.'],
  [[0xff, 0xfe], 'It is UTF-16. Convert it to UTF-8.'],
  [[0xfe, 0xff], 'It is UTF-16. Convert it to UTF-8.'],
];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads a file to the end before any line is imported, so that a truncated or malicious archive leaves no data.
 * @throws BadFile; the reason of the signal.
 */
export async function checkFile(
  path: string,
  limits: FileLimits,
  signal: AbortSignal,
): Promise<CheckedFile> {
  const digest = createHash('sha256');
  let lines = 0;
  let lastByte = NEWLINE;
  for await (const chunk of unpackedChunks(path, limits, signal)) {
    digest.update(chunk);
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
    lastByte = chunk.at(-1) ?? lastByte;
  }
  const isEnded = lastByte === NEWLINE;
  return { digest: digest.digest('hex'), lines: isEnded ? lines : lines + 1, isEnded };
}

/**
 * Yields the content of a file without a byte order mark, decompressed if it begins as a gzip file does.
 * @throws BadFile for content that is truncated, too large, or in a different format; the reason of the signal.
 */
export async function* unpackedChunks(
  path: string,
  { unpackedBytesMax }: FileLimits,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  const isPacked = await isGzip(path);
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const unpacked: Readable = isPacked ? file.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : file;
  file.on('error', (error) => unpacked.destroy(error));
  let bytes = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      const isFirst = bytes === 0;
      if (isFirst && isPacked) refuseForm(chunk, 'It is compressed twice. Unpack it once.');
      bytes += chunk.length;
      if (bytes > unpackedBytesMax) {
        throw new BadFile(`It has more than ${unpackedBytesMax} bytes (CORPUS_IMPORT_MAX_GIB).`);
      }
      if (isPacked && bytes > RATIO_FROM_BYTES && bytes > RATIO_MAX * file.bytesRead) {
        throw new BadFile(`It unpacks to more than ${RATIO_MAX} times its size.`);
      }
      yield isFirst && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk;
    }
  } catch (error) {
    throw isOfZlib(error) ? new BadFile('It is truncated or damaged. Fetch it again.') : error;
  } finally {
    unpacked.destroy();
    file.destroy();
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const head = buffer.subarray(0, bytesRead);
    refuseForm(head);
    return beginsWith(head, GZIP);
  } finally {
    await file.close();
  }
}

/**
 * Checks the first bytes of a file. @param ofGzip the message about gzip where gzip is not allowed.
 * @throws BadFile for an unsupported format.
 */
function refuseForm(head: Buffer, ofGzip?: string): void {
  const [, problem] = REFUSED.find(([bytes]) => beginsWith(head, bytes)) ?? [];
  if (problem !== undefined) throw new BadFile(problem);
  if (ofGzip !== undefined && beginsWith(head, GZIP)) throw new BadFile(ofGzip);
}

const beginsWith = (head: Buffer, bytes: readonly number[]) =>
  head.length >= bytes.length && bytes.every((byte, place) => head[place] === byte);

function isOfZlib(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && code.startsWith('Z_');
}
