import { type Hash, createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { FILE_MAX_BYTES, type FileStore } from '#libs/files';
import type { StoredBytes } from '../files/file-edition.js';

/**
 * A file that is written piece by piece, as fast as it is stored. The pieces go into `into`; the output of `out` is
 * counted, hashed and stored.
 */
export class StoredFile {
  private readonly hash: Hash = createHash('sha256');
  private bytes = 0;
  private readonly stored: Promise<unknown>;

  constructor(
    files: FileStore,
    key: string,
    private readonly into: Writable,
    private readonly out: Readable,
  ) {
    this.stored = files.write(key, this.counted(), { maxBytes: FILE_MAX_BYTES });
    // The error is passed to the next write or to `end`.
    this.stored.catch(() => {});
    // Without a handler, an error would end the process if the store has not begun to read.
    for (const stream of [into, out]) stream.on('error', () => {});
  }

  async write(piece: string | Buffer): Promise<void> {
    if (this.into.write(piece)) return;
    await Promise.race([once(this.into, 'drain'), this.stored]);
  }

  async end(): Promise<StoredBytes> {
    this.into.end();
    await this.stored;
    return { bytes: this.bytes, sha256: this.hash.digest('hex') };
  }

  /** Ends the writing. No file is stored unless `end` has already stored it. */
  async abandon(): Promise<void> {
    const reason = new Error('the file is given up');
    this.into.destroy(reason);
    this.out.destroy(reason);
    await this.stored.catch(() => {});
  }

  private async *counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of this.out as AsyncIterable<Buffer>) {
      this.bytes += piece.length;
      this.hash.update(piece);
      yield piece;
    }
  }
}
