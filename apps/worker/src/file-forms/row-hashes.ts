import { PassThrough } from 'node:stream';
import type { FileStore } from '#libs/files';
import type { FileRow } from './file-text.js';
import { StoredFile } from './stored-file.js';

const GATHERED = 64 * 1024;

/**
 * Writes the keys and hashes of a file's rows, one row per line. They show which rows contain values that are
 * suppressed later.
 */
export class RowHashes {
  private readonly file: StoredFile;
  private gathered = '';

  constructor(files: FileStore, key: string) {
    const bytes = new PassThrough();
    this.file = new StoredFile(files, key, bytes, bytes);
  }

  async add({ key, hashes = '' }: FileRow): Promise<void> {
    this.gathered += `${key} ${hashes}\n`;
    if (this.gathered.length >= GATHERED) await this.flush();
  }

  async end(): Promise<void> {
    await this.flush();
    await this.file.end();
  }

  async abandon(): Promise<void> {
    await this.file.abandon();
  }

  private async flush(): Promise<void> {
    const piece = this.gathered;
    this.gathered = '';
    await this.file.write(piece);
  }
}
