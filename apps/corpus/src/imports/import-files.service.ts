import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { Clock, MINUTE_MS, crashPoint, newId } from '#libs/platform';
import type { KeptTree } from '../certificate-logs/log-tree.js';
import { FullListsService } from '../observations/full-lists.service.js';
import { SourcesService } from '../sources/sources.service.js';
import type { CheckedFile } from '../locations/file-check.js';
import {
  BadFile,
  type ImportFile,
  type ImportedSource,
  Overtaken,
} from '../locations/import-file.js';
import { type Advance, type ImportCounts, ImportsRepository } from './imports.repository.js';
import type { FileVersion, FoundFile } from '../locations/locations.js';

/** Takes the place of the file name in the row of a log. */
const LOG = 'log';
/** The kinds of sources whose files each replace the previous file. */
const REPLACING: readonly string[] = ['zone', 'blocklist'];

type Listing = Pick<ImportedSource, 'id' | 'kind'>;

const listedAt = ({ kind }: Listing, { observedAt }: FileVersion) =>
  REPLACING.includes(kind) ? observedAt : null;

const STATEMENT_MAX_MS = 10 * MINUTE_MS;

@Injectable()
export class ImportFilesService {
  constructor(
    private readonly database: Database,
    private readonly repository: ImportsRepository,
    private readonly lists: FullListsService,
    private readonly sources: SourcesService,
    private readonly clock: Clock,
  ) {}

  /** Whether a version of a file has been imported, and no other list has replaced it since. */
  async isTaken(source: Listing, found: FileVersion): Promise<boolean> {
    return this.repository.isTaken(source.id, found, listedAt(source, found));
  }

  /**
   * Opens the row of a file. An unfinished import of the same content continues at its position; any other begins at
   * the first line. A file whose content was imported before is `repeated`, unless another list has replaced it since.
   */
  async open(
    source: Listing,
    found: FoundFile,
    { digest, lines }: Pick<CheckedFile, 'digest' | 'lines'>,
  ): Promise<ImportFile> {
    const { file, version, observedAt } = found;
    const known = await this.repository.findFile(source.id, file, version);
    if (known?.state === 'loading' && known.digest === digest) return known;
    const isRepeated =
      digest !== '' && (await this.repository.isLoaded(source.id, digest, listedAt(source, found)));
    const state = isRepeated ? ('repeated' as const) : ('loading' as const);
    const begun = { id: newId(), sourceId: source.id, file, version, digest, observedAt };
    return this.ask(async (transaction) => {
      if (known) await this.lists.clear(transaction, known.id);
      const row = { ...begun, state, lines, position: 0, slices: 0, isDifference: false };
      return this.repository.addFile(transaction, row, this.clock.now());
    });
  }

  /**
   * Opens the row of a followed log, with the position to continue from. @param first the first entry of a new log.
   * @param head the tree of a verified checkpoint, which is stored unless a larger one is.
   */
  async openLog(
    sourceId: number,
    address: string,
    { first, head }: { first: number; head: KeptTree },
  ): Promise<ImportFile> {
    const now = this.clock.now();
    const log = { id: newId(), sourceId, file: LOG, version: address, digest: '' };
    const place = { position: first, slices: 0, lines: head.size, isDifference: false };
    const begun = { ...log, state: 'loading' as const, ...place };
    return this.repository.openLog({ ...begun, observedAt: now }, head, now);
  }

  /** Returns the tree of a log's newest verified checkpoint; undefined before the first. */
  async logHead(sourceId: number, address: string): Promise<KeptTree | undefined> {
    return this.repository.findLogHead(sourceId, LOG, address);
  }

  /**
   * Gives up imports that have begun but not ended. It is called after the files of the source have been imported, so
   * these are imports of files that are no longer there.
   */
  async failRemoved(sourceId: number): Promise<void> {
    for (const file of await this.repository.listLoading(sourceId)) {
      await this.fail(file, 'It was removed or replaced before its import ended.');
    }
  }

  async reachedEnd({ id }: ImportFile, now: Date): Promise<void> {
    await this.repository.reachedEnd(id, now);
  }

  async listLags(): Promise<{ source: string; entries: number; seconds: number }[]> {
    return this.repository.listLags();
  }

  async listNewest(): Promise<{ source: string; isFailed: boolean }[]> {
    return this.repository.listNewest();
  }

  /**
   * Imports a whole file in one transaction. @param work writes the contents.
   * @throws Overtaken; the errors of `work`.
   */
  async takeWhole(
    file: ImportFile,
    work: (transaction: Transaction) => Promise<ImportCounts & Omit<Advance, 'from' | 'to'>>,
  ): Promise<void> {
    await this.part(file, async (transaction) => {
      const { badLines, samples, ...counts } = await work(transaction);
      const advance = { from: file.position, to: file.lines, badLines, samples };
      if (!(await this.repository.advance(transaction, file.id, advance))) throw new Overtaken();
      await this.repository.count(transaction, file.id, counts);
    });
  }

  /**
   * Imports a batch of lines and stores the position after the batch, in one transaction.
   * @throws Overtaken; the errors of `work`.
   */
  async advance(
    file: ImportFile,
    advance: Advance,
    work: (transaction: Transaction) => Promise<ImportCounts>,
  ): Promise<void> {
    await this.part(file, async (transaction) => {
      if (!(await this.repository.advance(transaction, file.id, advance))) throw new Overtaken();
      await this.repository.count(transaction, file.id, await work(transaction));
    });
  }

  /**
   * Imports a part of the staged names, and stores that it is done, in one transaction.
   * @throws Overtaken; the errors of `work`.
   */
  async advanceSlice(
    file: ImportFile,
    slice: number,
    work: (transaction: Transaction) => Promise<ImportCounts>,
  ): Promise<void> {
    await this.part(file, async (transaction) => {
      const isNext = await this.repository.advanceSlice(transaction, file.id, slice);
      if (!isNext) throw new Overtaken();
      await this.repository.count(transaction, file.id, await work(transaction));
    });
  }

  private async part(
    { sourceId }: ImportFile,
    work: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    await this.ask(async (transaction) => {
      await work(transaction);
      // A removal of the source waits for running writers. A writer that starts after the removal sees it here.
      if (await this.sources.isRemoved(transaction, sourceId)) throw new Overtaken();
      crashPoint('import.before-commit');
    });
    crashPoint('import.after-commit');
  }

  /** Runs a transaction whose statements may take a long time. */
  async ask<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(async (transaction) => {
      await transaction.limitStatements(STATEMENT_MAX_MS);
      return work(transaction);
    });
  }

  async findZone(sourceId: number, zone: string) {
    return this.repository.findZone(sourceId, zone);
  }

  async setZone(
    transaction: Transaction,
    file: ImportFile,
    zone: { zone: string; isDifference: boolean },
  ): Promise<void> {
    await this.repository.setZone(transaction, file.id, zone);
  }

  /**
   * Marks a file as finished, and records its counts for the source.
   * @param scope what the file lists completely; undefined if it lists nothing completely.
   * @throws Overtaken.
   */
  async finish(file: ImportFile, scope?: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const brought = await this.repository.finish(transaction, file.id, this.clock.now());
      if (!brought) throw new Overtaken();
      await this.sources.addBatch(transaction, {
        sourceId: file.sourceId,
        scope,
        isComplete: scope !== undefined,
        observedAt: file.observedAt,
        rows: file.lines,
        ...brought,
      });
    });
  }

  /** Records why a file cannot be imported, and removes its staged data. */
  async fail(file: ImportFile, problem: string): Promise<void> {
    await this.ask(async (transaction) => {
      await this.lists.clear(transaction, file.id);
      await this.repository.fail(transaction, file.id, this.clock.now(), problem);
    });
  }

  /**
   * Checks that a file is newer than the source's newest complete list under a scope.
   * @returns the time of that list; undefined if there is none.
   * @throws BadFile for a file that is not newer.
   */
  async refuseOlder(
    { sourceId, observedAt }: ImportFile,
    scope: string,
  ): Promise<Date | undefined> {
    const newest = await this.repository.newestComplete(sourceId, scope);
    if (newest && newest >= observedAt) {
      throw new BadFile(`It is not newer than the loaded data (${newest.toISOString()}).`);
    }
    return newest;
  }
}
