import { Injectable } from '@nestjs/common';
import {
  type AskedPage,
  UPLOAD_BYTES_MAX,
  type UploadAnswer,
  type UploadsAnswer,
} from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { AccountTurns, Clock, MINUTE_MS, NotFound, Semaphore, isId, newId } from '#libs/platform';
import { DailyCountsService } from '../daily-counts/daily-counts.service.js';
import { FolderQueue, ReadQueue } from './upload-queues.js';
import {
  type NewUpload,
  UPLOAD_KEPT_MS,
  type Upload,
  uploadAnswer,
  uploadFolder,
} from './upload.js';
import {
  TooManyLinesADay,
  TooManyUnreadBytes,
  TooManyUploadsADay,
  UploadInUse,
  UploadIsRefused,
  UploadNotReady,
  UploadsFull,
} from './uploads.errors.js';
import { UploadsRepository } from './uploads.repository.js';

const UPLOADS_MAX = 10;
/**
 * The maximum number of an account's uploads that are being added or waiting to be added: many more than can succeed.
 */
const BEGUN_MAX = 10 * UPLOADS_MAX;
/**
 * The maximum number of uploads begun in a day. Deleted uploads count, because a file of three
 * million names takes tens of seconds to read.
 */
const UPLOADS_A_DAY_MAX = 500;
/**
 * The number of lines read in a day after which an account can begin no more uploads that day: as many as ten files of
 * maximum size contain. Each line is written to the database before it is known whether the file will be kept, so
 * without this limit, 500 such files would add hundreds of gigabytes to the database's log.
 */
const LINES_A_DAY_MAX = 30_000_000;
/**
 * The maximum total size of an account's unread uploads. They are kept for a week even if their
 * last byte never arrives; ten could fill a small disk.
 */
const UNREAD_BYTES_MAX = 2 * UPLOAD_BYTES_MAX;
/** The time limit of the statement that deletes the lines of an upload, up to three million. */
const DELETE_LIMIT_MS = 2 * MINUTE_MS;
/** From this number of lines on, a deletion may take seconds. */
const LONG_LINES_MIN = 10_000;
/** The maximum number of long deletions at a time: each holds one of the few database connections (S102). */
const LONG_AT_ONCE = 2;
const NONE = 'There is no such upload.';

@Injectable()
export class UploadsService {
  /**
   * New uploads and deletions wait for locks of their account; each holds one of the few database connections (S102).
   */
  private readonly begun = new AccountTurns({ atOnce: 1, max: BEGUN_MAX });
  private readonly removals = new AccountTurns({ atOnce: 1, max: UPLOADS_MAX });
  private readonly longRemovals = new Semaphore(LONG_AT_ONCE);

  constructor(
    private readonly database: Database,
    private readonly uploads: UploadsRepository,
    private readonly reads: ReadQueue,
    private readonly folders: FolderQueue,
    private readonly counts: DailyCountsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds an upload. An existing upload with the same key is returned as `known` or, if it is incomplete, replaced.
   * @throws UploadsFull, TooManyUnreadBytes, TooManyUploadsADay, TooManyLinesADay.
   */
  async begin(
    upload: Omit<NewUpload, 'id' | 'createdAt'> & { id?: string },
  ): Promise<{ id: string; known?: Upload }> {
    const { accountId, idempotencyKey, id = newId() } = upload;
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + UPLOAD_KEPT_MS);
    const begin = async (transaction: Transaction) => {
      await this.uploads.lockNew(transaction, accountId);
      if (idempotencyKey !== undefined) {
        const known = await this.uploads.findByKey(transaction, accountId, idempotencyKey);
        if (known && known.state !== 'receiving') return { id: known.id, known };
        // The upload was interrupted or is being sent twice at once; this later request replaces it.
        if (known) await this.deleteIn(transaction, known);
      }
      if ((await this.uploads.count(transaction, accountId)) >= UPLOADS_MAX) {
        throw new UploadsFull(UPLOADS_MAX);
      }
      const unread = await this.uploads.sumUnreadBytes(transaction, accountId);
      if (unread + (upload.sizeBytes ?? 0) > UNREAD_BYTES_MAX) throw new TooManyUnreadBytes();
      const today = await this.counts.count(transaction, accountId, 'uploads');
      if (today > UPLOADS_A_DAY_MAX) throw new TooManyUploadsADay(UPLOADS_A_DAY_MAX);
      if (await this.hasReadEnough(transaction, accountId)) {
        throw new TooManyLinesADay(LINES_A_DAY_MAX);
      }
      await this.uploads.insert(transaction, { ...upload, id, createdAt }, expiresAt);
      return { id };
    };
    return this.begun.use(accountId, () => this.database.transaction(begin));
  }

  /**
   * Records stored bytes. After the last byte, the names are read.
   * @returns false if another request has recorded bytes in the meantime, or the upload is no longer being received.
   */
  async addPiece(
    { id, accountId }: Pick<Upload, 'id' | 'accountId'>,
    piece: { at: number; bytes: number; key: string; isLast: boolean },
  ): Promise<boolean> {
    const isNoted = await this.database.transaction(async (transaction) => {
      if (!(await this.uploads.addPiece(transaction, { id, accountId }, piece))) return false;
      if (piece.isLast) await this.read(transaction, { id, accountId });
      return true;
    });
    return isNoted;
  }

  /** @throws NotFound. */
  async find(accountId: string, uploadId: string): Promise<Upload> {
    const upload =
      isId(uploadId) && (await this.uploads.findOf(this.database, accountId, uploadId));
    if (!upload) throw new NotFound(NONE);
    return upload;
  }

  ageMs({ createdAt }: Upload): number {
    return this.clock.now().getTime() - createdAt.getTime();
  }

  /** Returns an upload whose names have been counted. @throws NotFound, UploadNotReady, UploadIsRefused. */
  async findReady(accountId: string, uploadId: string): Promise<Upload> {
    const upload = await this.find(accountId, uploadId);
    if (upload.refusal) throw new UploadIsRefused(upload.refusal);
    if (upload.state !== 'ready') throw new UploadNotReady();
    return upload;
  }

  /** Prevents the removal of an upload while a job starts from it. @throws NotFound. */
  async keep(transaction: Transaction, accountId: string, uploadId: string): Promise<void> {
    if (!(await this.uploads.keep(transaction, accountId, uploadId))) throw new NotFound(NONE);
  }

  async get(accountId: string, uploadId: string): Promise<UploadAnswer> {
    return uploadAnswer(await this.find(accountId, uploadId));
  }

  async list(accountId: string, asked: AskedPage): Promise<UploadsAnswer> {
    const [after] = asked.after ?? [];
    const rows = await this.uploads.list(this.database, accountId, { limit: asked.limit, after });
    const { items, paging } = asked.cut(rows, ({ id }) => [id]);
    return { status: true, uploads: items.map(uploadAnswer), paging };
  }

  /** @throws NotFound, UploadInUse; ServiceUnavailable if too many deletions of the account wait. */
  async remove(accountId: string, uploadId: string): Promise<void> {
    await this.removals.use(accountId, async () => {
      const upload = await this.find(accountId, uploadId);
      const remove = () => this.delete(upload);
      const isLong = upload.lines >= LONG_LINES_MIN;
      const isRemoved = await (isLong ? this.longRemovals.use(remove) : remove());
      if (!isRemoved) throw new UploadInUse();
    });
  }

  /** @returns false if a job needs the upload, or if it no longer exists. */
  async delete(upload: Pick<Upload, 'id' | 'accountId'>): Promise<boolean> {
    return this.database.transaction((transaction) => this.deleteIn(transaction, upload));
  }

  async erase(transaction: Transaction, accountId: string): Promise<void> {
    await this.reads.forget(transaction, accountId);
    await this.counts.forget(transaction, accountId, ['uploads', 'upload lines']);
    for (const id of await this.uploads.deleteOfAccount(transaction, accountId)) {
      await this.folders.remove(transaction, uploadFolder(id));
    }
  }

  /** Queues a complete file, so that its names are read. */
  async read(
    transaction: Transaction,
    { id, accountId }: Pick<Upload, 'id' | 'accountId'>,
  ): Promise<void> {
    if (!(await this.uploads.setReading(transaction, { id, accountId }))) return;
    await this.reads.want(transaction, { name: id, payload: { uploadId: id }, accountId });
  }

  /** Whether the number of lines read today has reached its limit. */
  async hasReadEnough(transaction: Transaction, accountId: string): Promise<boolean> {
    const lines = await this.counts.count(transaction, accountId, 'upload lines', 0);
    return lines >= LINES_A_DAY_MAX;
  }

  /** Counts the lines of a file that was read, whether or not the file is kept. */
  async countRead(transaction: Transaction, accountId: string, lines: number): Promise<void> {
    await this.counts.count(transaction, accountId, 'upload lines', lines);
  }

  private async deleteIn(
    transaction: Transaction,
    upload: Pick<Upload, 'id' | 'accountId'>,
  ): Promise<boolean> {
    await transaction.limitStatements(DELETE_LIMIT_MS);
    if (!(await this.uploads.delete(transaction, upload))) return false;
    await this.folders.remove(transaction, uploadFolder(upload.id));
    return true;
  }
}

@Injectable()
export class UploadRowsService extends UploadsRepository {}
