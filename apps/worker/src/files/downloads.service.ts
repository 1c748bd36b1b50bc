import { Injectable } from '@nestjs/common';
import type { Dataset, FileFormat } from '#libs/contracts';
import { FileMissing, FileStore } from '#libs/files';
import { Clock, DAY_MS, NotFound, type ServedFile, dispositionOf } from '#libs/platform';
import {
  type FileEdition,
  type StoredBytes,
  artifactKey,
  dayOf,
  fileName,
  sampleKey,
} from './file-edition.js';
import { FilesService } from './files.service.js';

const TYPES: Readonly<Record<FileFormat, string>> = {
  'csv.gz': 'application/gzip',
  'json.gz': 'application/gzip',
  zip: 'application/zip',
};
/** How long a URL of the file store is valid (S76). */
const ADDRESS_SECONDS = 900;
/** The age of the sample in days: it is the file of the day before yesterday. */
const SAMPLE_LATE_DAYS = 2;

interface Download extends StoredBytes {
  key: string;
  name: string;
  type: string;
}

@Injectable()
export class DownloadsService {
  constructor(
    private readonly files: FilesService,
    private readonly store: FileStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a file.
   * @returns its bytes, or a URL where the store serves them for 15 minutes.
   * @throws NotFound if the file has no such format; the errors of `FilesService.open`.
   */
  async open(
    accountId: string,
    asked: { dataset: Dataset; date: string; format: FileFormat },
  ): Promise<ServedFile | string> {
    const { dataset, date, format } = asked;
    const edition = await this.files.open(accountId, dataset, date);
    const bytes = edition.artifacts.find((one) => one.format === format);
    if (!bytes) throw new NotFound('The file does not exist in this format.');
    const key = artifactKey(edition, format);
    return this.served(edition, {
      ...bytes,
      key,
      name: fileName(edition, format),
      type: TYPES[format],
    });
  }

  /**
   * Opens the sample: a list of new names that becomes public one day after customers get it. @returns the same as
   * `open`.
   * @throws NotFound, FileWithheld, ServiceUnavailable.
   */
  async sample(): Promise<ServedFile | string> {
    const until = dayOf(new Date(this.clock.now().getTime() - SAMPLE_LATE_DAYS * DAY_MS));
    const edition = await this.files.newestSample(until);
    const name = fileName(edition, 'sample.csv.gz');
    const key = sampleKey(edition);
    return this.served(edition, { ...edition.sample!, key, name, type: TYPES['csv.gz'] });
  }

  private async served(
    { publishedAt }: FileEdition,
    download: Download,
  ): Promise<ServedFile | string> {
    const { key, name, type, bytes: sizeBytes, sha256: tag } = download;
    const address = await this.store.address(key, {
      lifetimeSeconds: ADDRESS_SECONDS,
      contentType: type,
      disposition: dispositionOf(name),
    });
    if (address !== undefined) return address;
    return {
      sizeBytes,
      name,
      tag,
      type,
      modifiedAt: publishedAt,
      open: async (part) => {
        const range = part && { first: part.start, last: part.end };
        try {
          return (await this.store.read(key, { range })).content;
        } catch (error) {
          // A newer edition has just replaced it.
          throw error instanceof FileMissing ? new NotFound() : error;
        }
      },
    };
  }
}
