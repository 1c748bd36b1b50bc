import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import {
  Clock,
  DAY_MS,
  HOUR_MS,
  Logger,
  MINUTE_MS,
  SECOND_MS,
  crashPoint,
  newId,
} from '#libs/platform';
import { type Later, type Work, WorkRunner, later } from '#libs/work';
import { BuildQueue, type BuildWork } from '../files/build-queue.js';
import type { FileEdition } from '../files/file-edition.js';
import { FileRowsService } from '../files/file-rows.service.js';
import type { PlacedFile } from '../file-forms/file-forms.js';
import { UnhashedRow } from '../file-forms/kept-rows.js';
import { FolderQueue } from '../uploads/upload-queues.js';
import { AnnounceQueue } from './announce-queue.js';
import { type BuiltFile, FileBuilderService } from './file-builder.service.js';
import { isBuiltAnew } from './file-schedule.js';
import {
  type HeldFile,
  type LaterSuppressed,
  SuppressedRowsService,
} from './suppressed-rows.service.js';

/** The time limit of a build. Full files with many millions of names take a long time. */
const TIME_LIMIT_MS = 12 * HOUR_MS;
const BACK_OFF_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];
const TRIES_MAX = 24;
/**
 * The pause before a build whose rows had no hashes is repeated. By then, the corpus delivers rows
 * with hashes.
 */
const UNHASHED_SECONDS = MINUTE_MS / SECOND_MS;
const ABANDONED_SECONDS = DAY_MS / SECOND_MS;
/** How long the previous edition is kept, because running downloads and issued URLs still need it. */
const REPLACED_SECONDS = HOUR_MS / SECOND_MS;

@Injectable()
export class BuildFeatures {
  constructor(
    readonly files: FileRowsService,
    readonly builder: FileBuilderService,
    readonly suppressed: SuppressedRowsService,
    readonly folders: FolderQueue,
    readonly news: AnnounceQueue,
  ) {}
}

type MadeFile = Omit<FileEdition, 'publishedAt'>;

/**
 * Builds files, each attempt in its own folder, and publishes them. The row of an edition is written once, whichever
 * process built it, and no file is visible before that. Rows that are suppressed during a build are removed from the
 * file at the end, without reading the data again. Suppressions therefore do not delay a file, however quickly they
 * follow one another.
 */
@Injectable()
export class BuildFilesJob extends WorkRunner<BuildWork> {
  constructor(
    private readonly database: Database,
    queue: BuildQueue,
    private readonly features: BuildFeatures,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    super({
      queue,
      database,
      logger,
      concurrency: 1,
      timeLimitMs: TIME_LIMIT_MS,
      backOffMs: BACK_OFF_MS,
      triesMax: TRIES_MAX,
    });
  }

  protected async handle(work: Work<BuildWork>): Promise<Later | void> {
    const { files, suppressed } = this.features;
    const { dataset, day, edition, isReplacement } = work.payload;
    const newest = await files.newestOf(this.database, dataset, day);
    if (newest && newest.edition >= edition) return;
    // The file has expired in the meantime.
    if (isReplacement && !(await files.find(this.database, dataset, day))) return;
    const withheld = isReplacement && (await suppressed.clear({ dataset, day }));
    if (withheld && !withheld.isHeld) return;
    const isFinal = withheld && !isBuiltAnew({ dataset, day }, this.clock.now());
    const made = await this.make(work, isFinal ? withheld : undefined);
    if (!made) return later(UNHASHED_SECONDS);
    crashPoint('file.after-write');
    // If this fails, the file may still have been published. An unpublished file is removed within a day.
    await this.publish(work, made);
  }

  /**
   * Builds a file, without the rows whose values were suppressed in the meantime.
   * @param final an earlier edition whose other rows are kept, because the current data is not that of its day.
   * @returns undefined if rows have no hashes, so that suppressed ones cannot be found.
   */
  private async make(work: Work<BuildWork>, final?: HeldFile): Promise<MadeFile | undefined> {
    const { files, builder } = this.features;
    const { dataset, day } = work.payload;
    const builtAt = this.clock.now();
    const before = await files.findBefore(this.database, dataset, day);
    const around = { before, signal: work.signal };
    const without = async (held: Omit<HeldFile, 'made'> & { made: MadeFile }) => {
      const kept = await this.write(work, async (file) => ({
        ...(await builder.buildWithout(file, around, held)),
        suppressionVersion: held.version,
      }));
      return { ...kept, builtAt: held.made.builtAt };
    };
    let made: MadeFile = final
      ? await without(final)
      : { ...(await this.write(work, (file) => builder.build(file, around))), builtAt };
    for (;;) {
      const later = await this.laterSuppressed(made);
      if (!later?.isHeld) return later && { ...made, suppressionVersion: later.version };
      const kept = await without({ made, ...later });
      await this.remove(made.folder);
      made = kept;
    }
  }

  /**
   * Finds the values that were suppressed during the build of a file. On any error, removes the
   * file's folder.
   * @returns undefined if a row has no hashes.
   */
  private async laterSuppressed(made: MadeFile): Promise<LaterSuppressed | undefined> {
    try {
      return await this.features.suppressed.find(made);
    } catch (error) {
      await this.remove(made.folder);
      if (error instanceof UnhashedRow) return undefined;
      throw error;
    }
  }

  private async write(
    { payload: { dataset, day, edition } }: Work<BuildWork>,
    build: (file: PlacedFile) => Promise<BuiltFile>,
  ): Promise<Omit<MadeFile, 'builtAt'>> {
    const id = newId();
    const folder = `files/${dataset}/${day}/${id}/`;
    const file = { dataset, day, edition, folder };
    await this.removeUnlessPublished(id, folder);
    try {
      return { id, ...file, ...(await build(file)) };
    } catch (error) {
      await this.remove(folder);
      throw error;
    }
  }

  private async remove(folder: string): Promise<void> {
    const { folders } = this.features;
    await this.database.transaction((transaction) => folders.remove(transaction, folder));
  }

  private async publish(work: Work<BuildWork>, built: MadeFile): Promise<void> {
    const { folders, news } = this.features;
    const edition: FileEdition = { ...built, publishedAt: this.clock.now() };
    await this.database.transaction(async (transaction) => {
      if (await this.replace(transaction, edition)) {
        await folders.cancel(transaction, edition.id);
        const payload = { editionId: edition.id };
        await news.add(transaction, { name: edition.id, payload });
      } else {
        await folders.remove(transaction, edition.folder);
      }
      await work.finish(transaction);
      crashPoint('file.before-commit');
    });
    crashPoint('file.after-commit');
  }

  /**
   * Publishes an edition and closes the previous one.
   * @returns false if another process has published this edition or a later one.
   */
  private async replace(transaction: Transaction, edition: FileEdition): Promise<boolean> {
    const { files } = this.features;
    const { dataset, day, publishedAt } = edition;
    const newest = await files.newestOf(transaction, dataset, day);
    if (newest && newest.edition >= edition.edition) return false;
    const replaced = await files.close(transaction, edition, publishedAt);
    if (!(await files.insert(transaction, edition))) return false;
    if (replaced) await this.removeReplaced(transaction, replaced, edition);
    return true;
  }

  /** Queues the removal of the replaced edition: at once if it may contain suppressed values, otherwise later. */
  private async removeReplaced(
    transaction: Transaction,
    { folder, suppressionVersion }: Pick<FileEdition, 'folder' | 'suppressionVersion'>,
    edition: FileEdition,
  ): Promise<void> {
    const isWithheld = suppressionVersion < edition.suppressionVersion;
    const delaySeconds = isWithheld ? 0 : REPLACED_SECONDS;
    const payload = { prefix: folder };
    await this.features.folders.add(transaction, { name: folder, payload, delaySeconds });
  }

  /**
   * Queues the removal of a folder for a day later, in case a killed process leaves it behind
   * unpublished.
   */
  private async removeUnlessPublished(id: string, folder: string): Promise<void> {
    const removal = {
      name: folder,
      group: id,
      payload: { prefix: folder },
      delaySeconds: ABANDONED_SECONDS,
    };
    await this.database.transaction((transaction) =>
      this.features.folders.add(transaction, removal),
    );
  }
}
