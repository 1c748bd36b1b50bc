import { Injectable } from '@nestjs/common';
import type { UploadRefusal } from '#libs/contracts';
import type { Database, Transaction } from '#libs/database';
import type { NewUpload, Upload, UploadContent } from './upload.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

type OwnUpload = Pick<Upload, 'id' | 'accountId'>;

const COLUMNS = `id, account_id as "accountId", state, file_name as "fileName", size_bytes::float8 as "sizeBytes",
  received_bytes::float8 as "receivedBytes", pieces, lines, unique_names as "uniqueNames", invalid,
  invalid_lines as "invalidLines", name_groups as groups, refusal, created_at as "createdAt", expires_at as "expiresAt"`;
/** SQL: whether a job that is not yet split into chunks still needs the names of the upload. */
const IN_USE = `exists (select from jobs where jobs.account_id = uploads.account_id and jobs.list_id = uploads.id and jobs.state in ('validating', 'queued'))`;

@Injectable()
export class UploadsRepository {
  /**
   * Makes the account's other new uploads wait until the transaction ends, so that the counts read in it stay correct.
   */
  async lockNew(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(`select pg_advisory_xact_lock(hashtextextended('uploads ' || $1, 0))`, [
      accountId,
    ]);
  }

  async count(transaction: Transaction, accountId: string): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      'select count(*)::int as count from uploads where account_id = $1',
      [accountId],
    );
    return count;
  }

  /**
   * Sums the declared sizes of unread uploads. The size of a form is unknown, but an interrupted form leaves nothing
   * behind.
   */
  async sumUnreadBytes(transaction: Transaction, accountId: string): Promise<number> {
    const [{ bytes }] = await transaction.query<{ bytes: number }>(
      `select coalesce(sum(size_bytes), 0)::float8 as bytes from uploads
       where account_id = $1 and state in ('receiving', 'reading')`,
      [accountId],
    );
    return bytes;
  }

  async insert(transaction: Transaction, upload: NewUpload, expiresAt: Date): Promise<void> {
    await transaction.query(
      `insert into uploads (id, account_id, idempotency_key, state, file_name, size_bytes, created_at, expires_at)
       values ($1, $2, $3, 'receiving', $4, $5, $6, $7)`,
      [
        upload.id,
        upload.accountId,
        upload.idempotencyKey ?? null,
        upload.fileName,
        upload.sizeBytes,
        upload.createdAt,
        expiresAt,
      ],
    );
  }

  async find(runner: Runner, uploadId: string): Promise<Upload | undefined> {
    const sql = `select ${COLUMNS} from uploads where id = $1`;
    return (await runner.query<Upload>(sql, [uploadId]))[0];
  }

  async findOf(runner: Runner, accountId: string, uploadId: string): Promise<Upload | undefined> {
    const sql = `select ${COLUMNS} from uploads where account_id = $1 and id = $2`;
    return (await runner.query<Upload>(sql, [accountId, uploadId]))[0];
  }

  /**
   * Prevents the deletion and expiry of an upload until the transaction ends.
   * @returns false if there is no such upload.
   */
  async keep(transaction: Transaction, accountId: string, uploadId: string): Promise<boolean> {
    const sql = 'select id from uploads where account_id = $1 and id = $2 for share';
    return (await transaction.query(sql, [accountId, uploadId])).length === 1;
  }

  async findByKey(runner: Runner, accountId: string, key: string): Promise<Upload | undefined> {
    const sql = `select ${COLUMNS} from uploads where account_id = $1 and idempotency_key = $2`;
    return (await runner.query<Upload>(sql, [accountId, key]))[0];
  }

  async list(
    runner: Runner,
    accountId: string,
    { limit, after }: { limit: number; after?: string },
  ): Promise<Upload[]> {
    return runner.query<Upload>(
      `select ${COLUMNS} from uploads where account_id = $1 and ($3::uuid is null or id < $3)
       order by id desc limit $2`,
      [accountId, limit, after ?? null],
    );
  }

  /**
   * Records more bytes.
   * @returns false if the bytes do not follow the stored ones, or the upload is no longer being received.
   */
  async addPiece(
    transaction: Transaction,
    { id, accountId }: OwnUpload,
    { at, bytes, key }: { at: number; bytes: number; key: string },
  ): Promise<boolean> {
    const rows = await transaction.query(
      `update uploads set received_bytes = received_bytes + $3, pieces = pieces || $4::text
       where id = $1 and account_id = $5 and received_bytes = $2 and state = 'receiving' returning id`,
      [id, at, bytes, key, accountId],
    );
    return rows.length === 1;
  }

  /** @returns false if the upload is no longer being received. */
  async setReading(transaction: Transaction, { id, accountId }: OwnUpload): Promise<boolean> {
    const rows = await transaction.query(
      `update uploads set state = 'reading', size_bytes = received_bytes
       where account_id = $2 and id = $1 and state = 'receiving' returning id`,
      [id, accountId],
    );
    return rows.length === 1;
  }

  /**
   * Sums the lines of the account's uploads whose names have been counted. Call `lockNew` first, so that the sum stays
   * correct.
   */
  async countLines(transaction: Transaction, accountId: string): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      `select coalesce(sum(lines), 0)::float8 as count from uploads where account_id = $1 and state = 'ready'`,
      [accountId],
    );
    return count;
  }

  /** @returns false if the upload was deleted. */
  async setReady(
    transaction: Transaction,
    { id, accountId }: OwnUpload,
    found: UploadContent,
  ): Promise<boolean> {
    const rows = await transaction.query(
      `update uploads set state = 'ready', pieces = '{}', lines = $2, unique_names = $3, invalid = $4,
         invalid_lines = $5, name_groups = $6
       where id = $1 and account_id = $7 and state = 'reading' returning id`,
      [
        id,
        found.lines,
        found.uniqueNames,
        found.invalid,
        JSON.stringify(found.invalidLines),
        JSON.stringify(found.groups),
        accountId,
      ],
    );
    return rows.length === 1;
  }

  async refuse(transaction: Transaction, uploadId: string, refusal: UploadRefusal): Promise<void> {
    await transaction.query(
      `update uploads set state = 'refused', pieces = '{}', refusal = $2 where id = $1 and state = 'reading'`,
      [uploadId, JSON.stringify(refusal)],
    );
  }

  async listExpired(runner: Runner, now: Date, limit: number): Promise<OwnUpload[]> {
    return runner.query<OwnUpload>(
      `select id, account_id as "accountId" from uploads where expires_at <= $1 and not ${IN_USE} order by expires_at limit $2`,
      [now, limit],
    );
  }

  /** Deletes an upload with its names. @returns false if a job needs the names, or if the upload does not exist. */
  async delete(transaction: Transaction, { id, accountId }: OwnUpload): Promise<boolean> {
    const own = [accountId, id];
    await transaction.query(
      'select id from uploads where account_id = $1 and id = $2 for update',
      own,
    );
    const sql = `delete from uploads where account_id = $1 and id = $2 and not ${IN_USE} returning id`;
    if ((await transaction.query(sql, own)).length === 0) return false;
    await transaction.query('delete from name_lines where list_id = $1', [id]);
    await transaction.query('delete from upload_locks where upload_id = $1', [id]);
    return true;
  }

  /**
   * Deletes the account's uploads and their names.
   * @returns the ids of the uploads.
   */
  async deleteOfAccount(transaction: Transaction, accountId: string): Promise<string[]> {
    await transaction.query(
      `delete from name_lines where list_id in (select id from uploads where account_id = $1)`,
      [accountId],
    );
    const sql = 'delete from uploads where account_id = $1 returning id';
    return (await transaction.query<{ id: string }>(sql, [accountId])).map(({ id }) => id);
  }
}
