import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { FileMissing, FileStore } from '#libs/files';
import { type FileEdition, isWithheld } from '../files/file-edition.js';
import { FileRowsService } from '../files/file-rows.service.js';
import { UnhashedRow, holdsAny } from '../file-forms/kept-rows.js';
import { ServiceClients } from '../service-clients.js';

/** The values that were suppressed after a file's rows were read. */
export interface LaterSuppressed {
  hashes: ReadonlySet<string>;
  /** The version of the suppression list that covers all these values. */
  version: number;
  /** Whether the file contains any of these values. */
  isHeld: boolean;
}

export interface HeldFile extends LaterSuppressed {
  made: FileEdition;
}

/**
 * Determines whether files contain values that were suppressed after the rows were read, without reading the rows
 * again.
 */
@Injectable()
export class SuppressedRowsService {
  constructor(
    private readonly database: Database,
    private readonly files: FileRowsService,
    private readonly clients: ServiceClients,
    private readonly store: FileStore,
  ) {}

  /**
   * Finds the values that were suppressed after the file's rows were read.
   * @throws UnhashedRow, FileMissing, ServiceUnavailable and the store's errors.
   */
  async find(
    file: Pick<FileEdition, 'dataset' | 'folder' | 'suppressionVersion'>,
  ): Promise<LaterSuppressed> {
    const { dataset, suppressionVersion: after } = file;
    if (!isWithheld(file, await this.clients.corpus.suppressionVersion())) {
      return { hashes: new Set(), version: after, isHeld: false };
    }
    const asked = await this.clients.corpus.suppressedHashes({ dataset, after });
    const hashes = new Set(asked.hashes);
    const isHeld = hashes.size > 0 && (await holdsAny(this.store, file, hashes));
    return { hashes, version: asked.version, isHeld };
  }

  /**
   * Makes a file available again if it contains no value that was suppressed since it was built. @returns the file and
   * these values; undefined if there is no file, or if it is unknown whether the file contains them.
   */
  async clear({
    dataset,
    day,
  }: Pick<FileEdition, 'dataset' | 'day'>): Promise<HeldFile | undefined> {
    const made = await this.files.find(this.database, dataset, day);
    if (!made) return undefined;
    try {
      const later = await this.find(made);
      if (!later.isHeld) {
        await this.database.transaction((transaction) =>
          this.files.raiseVersion(transaction, made.id, later.version),
        );
      }
      return { made, ...later };
    } catch (error) {
      if (error instanceof FileMissing || error instanceof UnhashedRow) return undefined;
      throw error;
    }
  }
}
