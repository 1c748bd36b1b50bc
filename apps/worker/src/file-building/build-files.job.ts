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
import { FolderQueue } from '../uploads/upload-queues.js';
import { AnnounceQueue } from './announce-queue.js';
import { FileBuilderService, Overtaken } from './file-builder.service.js';

/** Full files of many millions of names take long. */
const TIME_LIMIT_MS = 12 * HOUR_MS;
const BACK_OFF_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];
const TRIES_MAX = 24;
/** Values are suppressed several at a time. */
const OVERTAKEN_SECONDS = MINUTE_MS / SECOND_MS;
/** The remains of a killed process are removed then. */
const ABANDONED_SECONDS = DAY_MS / SECOND_MS;
/** Downloads that have begun, and addresses that were given out, still find the edition before. */
const REPLACED_SECONDS = HOUR_MS / SECOND_MS;

/** The parts on which the making of files rests. */
@Injectable()
export class BuildFeatures {
  constructor(
    readonly files: FileRowsService,
    readonly builder: FileBuilderService,
    readonly folders: FolderQueue,
    readonly news: AnnounceQueue,
  ) {}
}

/**
 * Makes files, each try in a folder of its own, and publishes them: the row of an edition is written once, whoever made
 * it, and nobody sees a file before. One that would be withheld at once is no news to anybody: it is begun anew.
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
    const { files, builder, folders } = this.features;
    const { dataset, day, edition } = work.payload;
    const newest = await files.newestOf(this.database, dataset, day);
    if (newest && newest.edition >= edition) return;
    const builtAt = this.clock.now();
    const id = newId();
    const folder = `files/${dataset}/${day}/${id}/`;
    const file = { dataset, day, edition, folder };
    await this.removeUnlessPublished(id, folder);
    const before = await files.findBefore(this.database, dataset, day);
    const built = await builder.build(file, before, work.signal).catch(async (error: unknown) => {
      await this.database.transaction((transaction) => folders.remove(transaction, folder));
      if (error instanceof Overtaken) return undefined;
      throw error;
    });
    if (!built) return later(OVERTAKEN_SECONDS);
    crashPoint('file.after-write');
    // Should it fail, it may have been published all the same: what was not is removed in a day.
    await this.publish(work, { id, ...file, ...built, builtAt });
  }

  private async publish(
    work: Work<BuildWork>,
    built: Omit<FileEdition, 'publishedAt'>,
  ): Promise<void> {
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

  /** @returns false when another process has published this edition. */
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

  /** Rows with suppressed values go at once. */
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

  /** A process that is killed leaves bytes that nobody knows of. */
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
