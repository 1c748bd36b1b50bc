import { Injectable } from '@nestjs/common';
import { Database, StatementTimeout, type Transaction } from '#libs/database';
import { FileStore } from '#libs/files';
import { Logger, MINUTE_MS } from '#libs/platform';
import { type Later, LongTurns, type Work, WorkRunner, later } from '#libs/work';
import { NameFile } from '../names/name-file.js';
import { NameLinesService } from '../names/name-lines.service.js';
import { LINES_OF_ACCOUNT_MAX, UnreadableFile } from '../names/unreadable-file.js';
import { unpacked } from '../names/unpacked-file.js';
import { FolderQueue, ReadQueue, type ReadWork } from '../uploads/upload-queues.js';
import { UploadRowsService, UploadsService } from '../uploads/uploads.service.js';
import { type Upload, contentKey, uploadFolder } from '../uploads/upload.js';

/** The time limit for reading 768 MiB from a distant store. */
const COPY_LIMIT_MS = 5 * MINUTE_MS;
/** The time limit of the statement that sorts three million names. */
const COUNT_LIMIT_MS = 2 * MINUTE_MS;
const TIME_LIMIT_MS = 10 * MINUTE_MS;
/**
 * A file with more lines than this counts as long, because it may take minutes to read; one with
 * fewer takes less than a second.
 */
const SHORT_LINES_MAX = 10_000;
const TURN_SECONDS = 1;
/**
 * Maximum number of attempts to read a file that exceeds the time limit. Each occupies a reader
 * that other accounts need.
 */
const SLOW_TRIES_MAX = 2;

@Injectable()
export class UploadReading {
  constructor(
    readonly uploads: UploadRowsService,
    readonly owned: UploadsService,
    readonly lines: NameLinesService,
    readonly queue: ReadQueue,
    readonly folders: FolderQueue,
  ) {}
}

class LongFileWaits extends Error {}

/**
 * Reads the names of uploads into `name_lines` and counts the distinct names, in one transaction. If the process dies,
 * nothing remains, and the file is read again.
 */
@Injectable()
export class ReadUploadsJob extends WorkRunner<ReadWork> {
  /** The accounts with a file being read: one file each, so that an account with large files does not delay others. */
  private readonly reading = new Set<string>();
  /**
   * The uploads that turned out to be long but are not read yet. The size of a compressed file does not show its
   * length.
   */
  private readonly long = new Set<string>();
  private readonly turns = new LongTurns();

  constructor(
    private readonly database: Database,
    private readonly features: UploadReading,
    private readonly files: FileStore,
    logger: Logger,
  ) {
    const { queue } = features;
    super({ queue, database, logger, concurrency: 2, timeLimitMs: TIME_LIMIT_MS });
  }

  protected async handle(work: Work<ReadWork>): Promise<Later | void> {
    const { uploadId } = work.payload;
    const upload = await this.features.uploads.find(this.database, uploadId);
    if (upload?.state !== 'reading') return void this.long.delete(uploadId);
    const { accountId } = upload;
    if (this.reading.has(accountId)) return later(TURN_SECONDS);
    if (this.long.has(uploadId) && !this.turns.begin(upload)) return later(TURN_SECONDS);
    this.reading.add(accountId);
    try {
      await this.readOrRefuse(upload, work);
      this.long.delete(uploadId);
    } catch (error) {
      if (error instanceof LongFileWaits) return later(TURN_SECONDS);
      throw error;
    } finally {
      this.reading.delete(accountId);
      this.turns.end(upload);
    }
  }

  private async readOrRefuse(upload: Upload, work: Work<ReadWork>): Promise<void> {
    const { owned } = this.features;
    const found = new NameFile();
    try {
      await this.read(upload, found, work);
    } catch (error) {
      const isSlow = error instanceof StatementTimeout;
      if (!isSlow && !(error instanceof UnreadableFile)) throw error;
      await this.database.transaction(async (transaction) => {
        await owned.countRead(transaction, upload.accountId, found.linesRead);
        // The database may have been slow for another reason, so the file gets a second attempt.
        if (isSlow && work.tries < SLOW_TRIES_MAX) return;
        await this.refuse(transaction, upload.id, isSlow ? UnreadableFile.tooSlow() : error);
        await work.finish(transaction);
      });
      if (isSlow && work.tries < SLOW_TRIES_MAX) throw error;
    }
  }

  /** Rejects a file that cannot be read. Otherwise, it would be shown as being read until it expires. */
  protected override async onDead(
    transaction: Transaction,
    { payload }: { payload: ReadWork },
  ): Promise<void> {
    await this.refuse(transaction, payload.uploadId, UnreadableFile.afterFaults());
  }

  private async refuse(
    transaction: Transaction,
    uploadId: string,
    { reason, detail }: UnreadableFile,
  ): Promise<void> {
    await this.features.uploads.refuse(transaction, uploadId, { reason, detail });
    await this.features.folders.remove(transaction, uploadFolder(uploadId));
  }

  /**
   * Reads, counts and stores the names in a file.
   * @throws UnreadableFile; StatementTimeout if reading takes too long; LongFileWaits; WorkLost; the store's errors,
   *   and the reason of the signal.
   */
  private async read(upload: Upload, found: NameFile, work: Work<ReadWork>): Promise<void> {
    const { id, accountId, pieces } = upload;
    const { uploads, owned, lines, folders } = this.features;
    // Many uploads may have begun before the limit was reached.
    const isTooMuch = await this.database.transaction((transaction) =>
      owned.hasReadEnough(transaction, accountId),
    );
    if (isTooMuch) throw UnreadableFile.beyondDay();
    const key = contentKey(id);
    if (pieces.length > 1) await this.files.concatenate(pieces, key);
    const text = unpacked(this.files, pieces.length > 1 ? key : pieces[0]);
    await this.database.transaction(async (transaction) => {
      await transaction.limitStatements(COPY_LIMIT_MS);
      const inTurn = this.inTurn(upload, found, text, work.signal);
      await lines.copy(transaction, found.rows(id, inTurn));
      await transaction.limitStatements(COUNT_LIMIT_MS);
      const groups = await lines.countGroups(transaction, id);
      // The lock is taken as late as possible, because the account's next uploads wait for it, each with a connection.
      await uploads.lockNew(transaction, accountId);
      const others = await uploads.countLines(transaction, accountId);
      if (others + found.lines > LINES_OF_ACCOUNT_MAX) throw UnreadableFile.beyondAccount();
      await owned.countRead(transaction, accountId, found.linesRead);
      const uniqueNames = groups.reduce((sum, { names }) => sum + names, 0);
      const { lines: count, invalid, invalidLines } = found;
      const content = { lines: count, uniqueNames, invalid, invalidLines, groups };
      // If this fails, the upload was deleted in the meantime, with all its names.
      if (!(await uploads.setReady(transaction, upload, content))) {
        await lines.deleteList(transaction, id);
      }
      await folders.remove(transaction, uploadFolder(id));
      await work.finish(transaction);
    });
  }

  /**
   * Yields the chunks of a file.
   * @throws LongFileWaits if the file turns out to be long while another long file is being read;
   *   the reason of the signal.
   */
  private async *inTurn<T>(
    upload: Upload,
    found: NameFile,
    text: AsyncIterable<T>,
    signal: AbortSignal,
  ): AsyncGenerator<T> {
    for await (const chunk of text) {
      signal.throwIfAborted();
      if (found.linesRead > SHORT_LINES_MAX) {
        this.long.add(upload.id);
        if (!this.turns.begin(upload)) throw new LongFileWaits();
      }
      yield chunk;
    }
  }
}
