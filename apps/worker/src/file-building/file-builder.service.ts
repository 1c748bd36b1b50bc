import { Injectable } from '@nestjs/common';
import { type DatasetEnd, type DatasetRow, keyRanges } from '#libs/contracts';
import { FileMissing, FileStore } from '#libs/files';
import { crashPoint } from '#libs/platform';
import {
  type FileEdition,
  cadenceOf,
  isWithheld,
  namesKey,
  sampleKey,
} from '../files/file-edition.js';
import { ServiceClients } from '../service-clients.js';
import { FileForms, type PlacedFile, gzipped } from '../file-forms/file-forms.js';
import { FileText, SCHEMA_VERSION } from '../file-forms/file-text.js';
import { NameComparison, NameKeys } from '../file-forms/name-keys.js';
import type { StoredFile } from '../file-forms/stored-file.js';

/** Stretches in which the rows of a file are asked for. */
const RANGES = { daily: 4, weekly: 64 } as const;
const SAMPLE_ROWS = 10_000;

/** Something was suppressed that rows may hold which have been read already. */
export class Overtaken extends Error {
  constructor() {
    super('a value was suppressed that the file may hold');
  }
}

/** The result of importing a file's rows. */
export type BuiltFile = Pick<
  FileEdition,
  'rows' | 'gained' | 'lost' | 'suppressionVersion' | 'schemaVersion' | 'artifacts' | 'sample'
>;

interface Parts {
  text: FileText;
  forms: FileForms;
  keys: NameKeys;
  comparison?: NameComparison;
  sample?: StoredFile;
}

/** Makes files of what the corpus has, in one pass over its rows and with a few of them in memory. */
@Injectable()
export class FileBuilderService {
  constructor(
    private readonly clients: ServiceClients,
    private readonly store: FileStore,
  ) {}

  /**
   * @param before the file that its names are counted against.
   * @throws Overtaken, ServiceUnavailable and what the store throws; then nothing is in the folder.
   */
  async build(
    file: PlacedFile,
    before: FileEdition | undefined,
    signal: AbortSignal,
  ): Promise<BuiltFile> {
    // It may fail, and nothing has been written yet.
    const compared = await this.comparisonWith(before);
    const ends: DatasetEnd[] = [];
    let rows = 0;
    const text = new FileText(file.dataset);
    const describe = () => ({ rows, schema_version: SCHEMA_VERSION, columns: text.columns });
    const parts: Parts = {
      text,
      forms: new FileForms(this.store, file, describe),
      keys: new NameKeys(this.store, namesKey(file)),
      comparison: compared,
      sample: file.dataset === 'newly' ? gzipped(this.store, sampleKey(file)) : undefined,
    };
    const { forms, keys, comparison, sample } = parts;
    try {
      await forms.write({ csv: text.header, json: '' });
      await sample?.write(text.header);
      for await (const row of this.rows(file, ends, signal)) {
        rows += 1;
        await addRow(parts, row, rows);
      }
      await keys.end();
      return {
        rows,
        ...((await comparison?.end()) ?? { gained: null, lost: null }),
        suppressionVersion: Math.min(...ends.map((end) => end.suppressionVersion)),
        schemaVersion: SCHEMA_VERSION,
        artifacts: await forms.end(),
        sample: (await sample?.end()) ?? null,
      };
    } catch (error) {
      await Promise.all([forms.abandon(), keys.abandon(), sample?.abandon()]);
      throw error;
    } finally {
      comparison?.close();
    }
  }

  private async *rows(
    { dataset, day }: PlacedFile,
    ends: DatasetEnd[],
    signal: AbortSignal,
  ): AsyncGenerator<DatasetRow> {
    const cadence = cadenceOf(dataset);
    const asked = { dataset, ...(cadence === 'daily' && { day }) };
    for (const range of keyRanges(RANGES[cadence])) {
      ends.push(yield* this.clients.corpus.rows({ ...asked, ...range }, { signal }));
      crashPoint('file.after-rows');
      const suppressed = await this.clients.corpus.suppressionVersion();
      if (ends.some((end) => isWithheld({ dataset, ...end }, suppressed))) throw new Overtaken();
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
  { text, forms, keys, comparison, sample }: Parts,
  row: DatasetRow,
  number: number,
): Promise<void> {
  const key = BigInt(row.key);
  const written = text.row(row, number);
  await forms.write(written);
  await keys.add(key);
  await comparison?.add(key);
  if (number <= SAMPLE_ROWS) await sample?.write(written.csv);
}
