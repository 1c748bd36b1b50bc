import type { Readable } from 'node:stream';
import { checkFileKey, checkFilePrefix } from './file-key.js';
import { FileChanged, FileMissing, FileTooLarge, RangeBeyondFile } from './file-failures.js';
import { readAhead } from './read-ahead.js';

/** The content to write: a stream, or pieces of any size. */
export type FileContent = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface FileFacts {
  key: string;
  sizeBytes: number;
  /** Strong entity tag with its quotes (RFC 9110, 8.8.3): different content has a different tag. */
  etag: string;
  modifiedAt: Date;
}

/**
 * Positions of the first and the last byte, both inclusive; without `last`, the range extends to the end (RFC 9110,
 * 14.1.2).
 */
export interface ByteRange {
  first: number;
  last?: number;
}

export interface WriteOptions {
  /** Longer content is rejected with FileTooLarge, and nothing is stored. */
  maxBytes: number;
  /**
   * Whether the first write wins: if the file already exists, the write is rejected with FileExists and the file stays
   * unchanged.
   */
  ifAbsent?: boolean;
}

export interface ReadOptions {
  range?: ByteRange;
  /** The tag of the version that was read before; a read of another version fails with FileChanged. */
  etag?: string;
}

/** An open file. The caller reads the stream to its end or destroys it. */
export interface OpenFile {
  facts: FileFacts;
  /** The positions of `content`; for an empty file, `last` is one less than `first`. */
  range: Required<ByteRange>;
  content: Readable;
}

export interface ListOptions {
  /** The page begins after this key. */
  after?: string;
  /** The number of files per page, at most 1,000. */
  limit: number;
}

export interface FilePage {
  /** The files, ordered by their keys, compared as bytes. */
  files: FileFacts[];
  /** The value of `after` for the next page; undefined on the last page. */
  next?: string;
}

export interface AddressOptions {
  /** How long the address is valid; at most 15 minutes (S76). */
  lifetimeSeconds: number;
  /** The `Content-Type` of the answer; `disposition` is its `Content-Disposition` (S79). */
  contentType: string;
  disposition: string;
}

export const PAGE_MAX = 1_000;
const LIFETIME_MAX_SECONDS = 900;
/** The maximum file size: the capacity of 8,192 parts of an upload to S3. */
export const FILE_MAX_BYTES = 64 * 1024 ** 3;
/** The maximum number of files that `concatenate` joins: S3 allows 10,000 parts, and a file may need two. */
export const CONCATENATED_MAX = 4_000;
/** The number of files whose facts are requested at the same time. */
const STATS_AT_ONCE = 16;

/**
 * Stores large files, such as uploads and the results of jobs. A file is written completely or not at all, and is not
 * visible before it is complete. No key may be the folder of another key. Every method throws InvalidFileKey for a key
 * or prefix that is not valid.
 */
export abstract class FileStore {
  /**
   * Writes a file, whose content is read as fast as the store accepts it.
   * @throws FileTooLarge; FileExists with `ifAbsent`; FilesUnavailable; RangeError if `maxBytes` exceeds
   * `FILE_MAX_BYTES`; the errors of `content`.
   */
  async write(key: string, content: FileContent, options: WriteOptions): Promise<FileFacts> {
    checkFileKey(key);
    const { maxBytes, ifAbsent = false } = options;
    if (!(maxBytes >= 0 && maxBytes <= FILE_MAX_BYTES)) {
      throw new RangeError(`a file can have at most ${FILE_MAX_BYTES} bytes`);
    }
    return this.put(key, withinLimit(content, maxBytes), ifAbsent);
  }

  /**
   * Opens a file for reading. @throws FileMissing; FileChanged; FilesUnavailable; RangeBeyondFile if the range contains
   * no byte of the file.
   */
  async read(key: string, { range, etag }: ReadOptions = {}): Promise<OpenFile> {
    this.checkKey(key);
    const found = await this.stat(key);
    if (!found) throw new FileMissing(key);
    if (etag !== undefined && etag !== found.etag) throw new FileChanged(key);
    return this.open(found, fitted(found, range));
  }

  /**
   * Joins several files, in order, into one: gzip members form one gzip file (RFC 1952, 2.2). @throws FileMissing,
   * FileChanged, FilesUnavailable; RangeError for more than 4,000 files.
   */
  async concatenate(keys: readonly string[], target: string): Promise<FileFacts> {
    for (const key of [...keys, target]) checkFileKey(key);
    if (keys.length > CONCATENATED_MAX) {
      throw new RangeError(`more than ${CONCATENATED_MAX} files at once`);
    }
    const factsOf = async (key: string) => {
      const facts = await this.stat(key);
      if (!facts) throw new FileMissing(key);
      return facts;
    };
    const found: FileFacts[] = [];
    for await (const facts of readAhead(keys, STATS_AT_ONCE, factsOf)) found.push(facts);
    return this.join(found, target);
  }

  /** Copies a file. @throws FileMissing, FileChanged, FilesUnavailable. */
  async copy(key: string, target: string): Promise<FileFacts> {
    return this.concatenate([key], target);
  }

  async stat(key: string): Promise<FileFacts | undefined> {
    this.checkKey(key);
    return this.find(key);
  }

  /**
   * Lists files, a page at a time.
   * @param prefix ends with `/`; the empty prefix lists the whole store.
   * @throws RangeError for a limit that is not between 1 and 1,000; FilesUnavailable.
   */
  async list(prefix: string, options: ListOptions): Promise<FilePage> {
    checkFilePrefix(prefix);
    const { limit, after } = options;
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= PAGE_MAX)) {
      throw new RangeError(`a page has 1 to ${PAGE_MAX} files`);
    }
    if (after !== undefined) this.checkKey(after);
    return this.page(prefix, limit, after);
  }

  /** Removes a file; does nothing if there is none. Readers that have started can finish. */
  async remove(key: string): Promise<void> {
    checkFileKey(key);
    await this.removeFile(key);
  }

  /**
   * Removes every file below the prefix. Files written during the call may remain.
   * @throws RangeError for an empty prefix.
   */
  async removeAll(prefix: string): Promise<void> {
    checkFilePrefix(prefix);
    if (prefix === '') throw new RangeError('the whole store cannot be removed at once');
    await this.removeFolder(prefix);
  }

  /**
   * Returns a URL from which anybody can download the file for a while. The caller must check permissions beforehand
   * (S77).
   * @returns undefined if the store has no URLs; the file's owner then streams the file.
   * @throws RangeError for a lifetime that is not between 1 and 900 s.
   */
  async address(key: string, options: AddressOptions): Promise<string | undefined> {
    checkFileKey(key);
    const { lifetimeSeconds: seconds } = options;
    if (!(Number.isInteger(seconds) && seconds >= 1 && seconds <= LIFETIME_MAX_SECONDS)) {
      throw new RangeError(`an address works for 1 to ${LIFETIME_MAX_SECONDS} s`);
    }
    return this.sign(key, options);
  }

  /** Checks the key of a file that is read or listed. */
  protected checkKey(key: string): void {
    checkFileKey(key);
  }

  /** Checks the store without writing to it. @throws if it cannot be reached, or is known to be full. */
  abstract check(): Promise<void>;
  abstract close(): Promise<void>;

  protected abstract put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    ifAbsent: boolean,
  ): Promise<FileFacts>;
  protected abstract find(key: string): Promise<FileFacts | undefined>;
  protected abstract open(facts: FileFacts, range: Required<ByteRange>): Promise<OpenFile>;
  protected abstract page(prefix: string, limit: number, after?: string): Promise<FilePage>;
  protected abstract removeFile(key: string): Promise<void>;
  protected abstract removeFolder(prefix: string): Promise<void>;
  protected abstract join(sources: readonly FileFacts[], target: string): Promise<FileFacts>;
  protected abstract sign(key: string, options: AddressOptions): Promise<string | undefined>;
}

/** Returns the part of the file that a range selects. @throws RangeBeyondFile */
function fitted(
  { key, sizeBytes }: FileFacts,
  range: ByteRange = { first: 0 },
): Required<ByteRange> {
  const { first, last = sizeBytes - 1 } = range;
  const isWhole = first === 0 && range.last === undefined;
  const isValid = Number.isInteger(first) && Number.isInteger(last) && first >= 0 && last >= first;
  if (!isWhole && (!isValid || first >= sizeBytes)) throw new RangeBeyondFile(key, sizeBytes);
  return { first, last: Math.min(last, sizeBytes - 1) };
}

/** Passes the content on and checks its length. @throws FileTooLarge as soon as the content is too long. */
export async function* withinLimit(
  content: FileContent,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new FileTooLarge(maxBytes);
    if (piece.length > 0) yield piece;
  }
}
