import { type Hash, createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { ZipFile } from 'yazl';
import type { FileArtifact } from '#libs/contracts';
import type { FileStore } from '#libs/files';
import { type FileEdition, artifactKey, fileName } from '../files/file-edition.js';
import type { RowText } from './file-text.js';
import { StoredFile } from './stored-file.js';

/** The number of characters collected before they are passed to the compressors. */
const GATHERED = 64 * 1024;

export type PlacedFile = Pick<FileEdition, 'dataset' | 'day' | 'edition' | 'folder'>;

/** Writes all formats of a file in parallel, so that its rows are read only once. */
export class FileForms {
  private readonly csv: StoredFile;
  private readonly json: StoredFile;
  private readonly zip: StoredFile;
  private readonly csvHash: Hash = createHash('sha256');
  private csvBytes = 0;
  private gatheredCsv = '';
  private gatheredJson = '';

  /** @param describe returns the manifest's contents once all rows are written. */
  constructor(
    files: FileStore,
    private readonly file: PlacedFile,
    private readonly describe: () => object,
  ) {
    this.csv = gzipped(files, artifactKey(file, 'csv.gz'));
    this.json = gzipped(files, artifactKey(file, 'json.gz'));
    this.zip = this.zipped(files);
  }

  private get all(): StoredFile[] {
    return [this.csv, this.json, this.zip];
  }

  async write({ csv, json }: RowText): Promise<void> {
    this.gatheredCsv += csv;
    this.gatheredJson += json;
    if (this.gatheredCsv.length + this.gatheredJson.length >= GATHERED) await this.flush();
  }

  async end(): Promise<FileArtifact[]> {
    await this.flush();
    const [csv, json, zip] = await Promise.all(this.all.map((one) => one.end()));
    return [
      { format: 'csv.gz', ...csv },
      { format: 'json.gz', ...json },
      { format: 'zip', ...zip },
    ];
  }

  async abandon(): Promise<void> {
    await Promise.all(this.all.map((one) => one.abandon()));
  }

  private async flush(): Promise<void> {
    const csv = Buffer.from(this.gatheredCsv);
    const json = Buffer.from(this.gatheredJson);
    this.gatheredCsv = '';
    this.gatheredJson = '';
    this.csvHash.update(csv);
    this.csvBytes += csv.length;
    await Promise.all([this.csv.write(csv), this.zip.write(csv), this.json.write(json)]);
  }

  /**
   * Writes a zip with the CSV file and then the manifest, which shows that the CSV file is complete. Files beyond 4 GiB
   * use ZIP64.
   */
  private zipped(files: FileStore): StoredFile {
    const zip = new ZipFile();
    const rows = new PassThrough();
    zip.addReadStream(rows, fileName(this.file, 'csv'));
    zip.addReadStreamLazy('manifest.json', {}, (give) =>
      give(null, Readable.from([Buffer.from(this.manifest())])),
    );
    zip.end();
    const out = zip.outputStream as Readable;
    // An error in one of the archive's streams ends the output, and is passed to the store.
    zip.on('error', (error: Error) => out.destroy(error));
    return new StoredFile(files, artifactKey(this.file, 'zip'), rows, out);
  }

  private manifest(): string {
    const { dataset, day, edition } = this.file;
    const csv = {
      name: fileName(this.file, 'csv'),
      bytes: this.csvBytes,
      sha256: this.csvHash.digest('hex'),
    };
    const manifest = { dataset, date: day, edition, ...this.describe(), files: [csv] };
    return `${JSON.stringify(manifest, undefined, 2)}\n`;
  }
}

/** Starts a file at `key`. What is written to it is stored as one gzip member. */
export function gzipped(files: FileStore, key: string): StoredFile {
  const gzip = createGzip();
  return new StoredFile(files, key, gzip, gzip);
}
