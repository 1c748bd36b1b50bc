import { PassThrough, type Readable } from 'node:stream';
import type { FileStore } from '#libs/files';
import { StoredFile } from './stored-file.js';

const KEY_BYTES = 8;
const GATHERED_KEYS = 8_192;

/** Writes the 64-bit keys of a file's names, in order. The next file's names are compared with them. */
export class NameKeys {
  private readonly file: StoredFile;
  private readonly gathered = Buffer.alloc(GATHERED_KEYS * KEY_BYTES);
  private place = 0;

  constructor(files: FileStore, key: string) {
    const bytes = new PassThrough();
    this.file = new StoredFile(files, key, bytes, bytes);
  }

  async add(key: bigint): Promise<void> {
    this.gathered.writeBigInt64BE(key, this.place);
    this.place += KEY_BYTES;
    if (this.place === this.gathered.length) await this.flush();
  }

  async end(): Promise<void> {
    await this.flush();
    await this.file.end();
  }

  async abandon(): Promise<void> {
    await this.file.abandon();
  }

  private async flush(): Promise<void> {
    const piece = Buffer.from(this.gathered.subarray(0, this.place));
    this.place = 0;
    await this.file.write(piece);
  }
}

/**
 * Counts the names that only the new file contains, and those that only the previous file contains. One pass over both
 * is enough, because both are in the same order.
 */
export class NameComparison {
  private before: bigint[] = [];
  private place = 0;
  private gained = 0;
  private lost = 0;

  private readonly pages: AsyncIterator<bigint[]>;

  /** @param content the keys of the previous file. It is read to its end, or destroyed by `close`. */
  constructor(private readonly content: Readable) {
    this.pages = keysIn(content);
  }

  async add(key: bigint): Promise<void> {
    for (;;) {
      const next = await this.next();
      if (next === undefined || next > key) break;
      this.place += 1;
      if (next === key) return;
      this.lost += 1;
    }
    this.gained += 1;
  }

  async end(): Promise<{ gained: number; lost: number }> {
    while ((await this.next()) !== undefined) {
      this.lost += this.before.length - this.place;
      this.place = this.before.length;
    }
    return { gained: this.gained, lost: this.lost };
  }

  close(): void {
    this.content.destroy();
  }

  private async next(): Promise<bigint | undefined> {
    while (this.place === this.before.length) {
      const page = await this.pages.next();
      if (page.done) return undefined;
      this.before = page.value;
      this.place = 0;
    }
    return this.before[this.place];
  }
}

/** Reads stored keys. @param pieces the stored bytes, which may be divided anywhere. */
async function* keysIn(pieces: AsyncIterable<Buffer>): AsyncGenerator<bigint[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = all.length - (all.length % KEY_BYTES);
    const keys: bigint[] = [];
    for (let place = 0; place < whole; place += KEY_BYTES) keys.push(all.readBigInt64BE(place));
    rest = all.subarray(whole);
    yield keys;
  }
}
