import { Injectable } from '@nestjs/common';
import { type DatasetEnd, keyRanges } from '#libs/contracts';
import { FileMissing, FileStore } from '#libs/files';
import { crashPoint } from '#libs/platform';
import {
  type FileEdition,
  cadenceOf,
  hashesKey,
  namesKey,
  sampleKey,
} from '../files/file-edition.js';
import { ServiceClients } from '../service-clients.js';
import { FileForms, type PlacedFile, gzipped } from '../file-forms/file-forms.js';
import { type FileRow, FileText, SCHEMA_VERSION } from '../file-forms/file-text.js';
import { rowsWithout } from '../file-forms/kept-rows.js';
import { NameComparison, NameKeys } from '../file-forms/name-keys.js';
import { RowHashes } from '../file-forms/row-hashes.js';
import type { StoredFile } from '../file-forms/stored-file.js';

/** The number of key ranges into which the request for a file's rows is split. */
const RANGES = { daily: 4, weekly: 64 } as const;
const SAMPLE_ROWS = 10_000;

export type BuiltFile = Pick<
  FileEdition,
  'rows' | 'gained' | 'lost' | 'suppressionVersion' | 'schemaVersion' | 'artifacts' | 'sample'
>;

interface Parts {
  text: FileText;
  forms: FileForms;
  keys: NameKeys;
  hashes: RowHashes;
  comparison?: NameComparison;
  sample?: StoredFile;
}

interface Around {
  before: FileEdition | undefined;
  signal: AbortSignal;
}

/** Builds files in one pass over their rows, with few rows in memory at a time. */
@Injectable()
export class FileBuilderService {
  constructor(
    private readonly clients: ServiceClients,
    private readonly store: FileStore,
  ) {}

  /**
   * Builds a file from the data of the corpus. After an error, the folder may contain a part of the files.
   * @throws ServiceUnavailable, the store's errors, and the reason of the signal.
   */
  async build(file: PlacedFile, around: Around): Promise<BuiltFile> {
    const ends: DatasetEnd[] = [];
    const written = await this.write(file, around, this.rows(file, ends, around.signal));
    const versions = ends.map((end) => end.suppressionVersion);
    return { ...written, suppressionVersion: Math.min(...versions) };
  }

  /**
   * Builds a file from another file, without the rows that have one of the hashes. After an error, the folder may
   * contain a part of the files.
   * @throws UnhashedRow, the store's errors, and the reason of the signal.
   */
  async buildWithout(
    file: PlacedFile,
    around: Around,
    {
      made,
      hashes,
    }: { made: Pick<FileEdition, 'dataset' | 'folder'>; hashes: ReadonlySet<string> },
  ): Promise<Omit<BuiltFile, 'suppressionVersion'>> {
    return this.write(file, around, rowsWithout(this.store, made, hashes));
  }

  private async write(
    file: PlacedFile,
    { before, signal }: Around,
    rowsOf: AsyncGenerator<FileRow>,
  ): Promise<Omit<BuiltFile, 'suppressionVersion'>> {
    // This may fail, so it is done before a file is written.
    const compared = await this.comparisonWith(before);
    let rows = 0;
    const text = new FileText(file.dataset);
    const describe = () => ({ rows, schema_version: SCHEMA_VERSION, columns: text.columns });
    const parts: Parts = {
      text,
      forms: new FileForms(this.store, file, describe),
      keys: new NameKeys(this.store, namesKey(file)),
      hashes: new RowHashes(this.store, hashesKey(file)),
      comparison: compared,
      sample: file.dataset === 'newly' ? gzipped(this.store, sampleKey(file)) : undefined,
    };
    const { forms, keys, hashes, comparison, sample } = parts;
    try {
      await forms.write({ csv: text.header, json: '' });
      await sample?.write(text.header);
      for await (const row of rowsOf) {
        signal.throwIfAborted();
        rows += 1;
        await addRow(parts, row, rows);
      }
      await Promise.all([keys.end(), hashes.end()]);
      return {
        rows,
        ...((await comparison?.end()) ?? { gained: null, lost: null }),
        schemaVersion: SCHEMA_VERSION,
        artifacts: await forms.end(),
        sample: (await sample?.end()) ?? null,
      };
    } catch (error) {
      await Promise.all([forms, keys, hashes, sample].map(async (part) => part?.abandon()));
      throw error;
    } finally {
      comparison?.close();
    }
  }

  private async *rows(
    { dataset, day }: PlacedFile,
    ends: DatasetEnd[],
    signal: AbortSignal,
  ): AsyncGenerator<FileRow> {
    const cadence = cadenceOf(dataset);
    const asked = { dataset, ...(cadence === 'daily' && { day }) };
    for (const range of keyRanges(RANGES[cadence])) {
      ends.push(yield* this.clients.corpus.rows({ ...asked, ...range }, { signal }));
      crashPoint('file.after-rows');
    }
  }

  private async comparisonWith(before?: FileEdition): Promise<NameComparison | undefined> {
    if (!before) return undefined;
    try {
      const { content } = await this.store.read(namesKey(before));
      return new NameComparison(content);
    } catch (error) {
      if (error instanceof FileMissing) return undefined;
      throw error;
    }
  }
}

async function addRow(
  { text, forms, keys, hashes, comparison, sample }: Parts,
  row: FileRow,
  number: number,
): Promise<void> {
  const key = BigInt(row.key);
  const written = text.row(row, number);
  await forms.write(written);
  await keys.add(key);
  await hashes.add(row);
  await comparison?.add(key);
  if (number <= SAMPLE_ROWS) await sample?.write(written.csv);
}
