import { type Readable, Transform } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { Injectable } from '@nestjs/common';
import { UPLOAD_BYTES_MAX, type UploadAnswer } from '#libs/contracts';
import { IdempotencyKeyRunning } from '#libs/database';
import { FileStore, FileTooLarge } from '#libs/files';
import {
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_RULE,
  InvalidRequest,
  NotFound,
  PayloadTooLarge,
} from '#libs/platform';
import { FormCutOff, NoFileInForm } from './uploads.errors.js';
import { UploadsService } from './uploads.service.js';
import { type Upload, contentKey, shownName, uploadAnswer } from './upload.js';

const LIMITS = { fields: 20, fieldSize: 4_096, files: 2, headerPairs: 20, parts: 22 } as const;
/**
 * The number of bytes that the parser gets at a time. It reads every part in them, even beyond the
 * limit of parts, and a part can be as short as nine bytes.
 */
const SLICE_BYTES = 4_096;
const TOO_LARGE = `A file can have at most ${UPLOAD_BYTES_MAX} bytes. Split it into several uploads.`;
const KEY_FIELD = 'idempotency_key';
const INVALID_KEY = { field: KEY_FIELD, message: IDEMPOTENCY_KEY_RULE };

interface Kept {
  upload: Upload;
  /** Whether this form created the upload, rather than an earlier form with the same key. */
  isNew: boolean;
}

/** Accepts uploads as forms, each with one file after its fields (RFC 7578). */
@Injectable()
export class UploadFormsService {
  constructor(
    private readonly uploads: UploadsService,
    private readonly files: FileStore,
  ) {}

  /**
   * Stores the file of a form, or returns the upload of an earlier complete form with the same key. After a failure,
   * the stored data is removed.
   * @throws InvalidRequest for an invalid key; NoFileInForm, FormCutOff, UploadsFull, PayloadTooLarge,
   *   TooManyUnreadBytes, TooManyUploadsADay, TooManyLinesADay, FilesUnavailable; NotFound if the upload was deleted in
   *   the meantime; IdempotencyKeyRunning if a later form with the same key has replaced this form.
   */
  async take(accountId: string, body: Readable, contentType: string): Promise<UploadAnswer> {
    const form = openForm(contentType);
    const slices = inSlices();
    let idempotencyKey: string | undefined;
    let file: Readable | undefined;
    let taken: Promise<Kept> | undefined;
    const read = new Promise<void>((resolve, reject) => {
      form.on('field', (name, value) => {
        if (name !== KEY_FIELD) return;
        if (IDEMPOTENCY_KEY.test(value)) idempotencyKey = value;
        // Without its key, a repeated form would be another upload.
        else reject(new InvalidRequest([INVALID_KEY]));
      });
      form.on('file', (_field, content, name) => {
        // The reader also gets the error. Without this handler, an error in an unread stream would end the process.
        content.on('error', () => {});
        if (file) return reject(new NoFileInForm());
        file = content;
        taken = this.keep({ accountId, idempotencyKey, fileName: shownName(name) }, content);
        taken.catch(reject);
      });
      // Otherwise, the parser would skip the remaining parts one by one, millions of them.
      form.once('partsLimit', () => {
        slices.unpipe(form);
        reject(new NoFileInForm());
      });
      form.once('finish', resolve);
      form.once('error', () => reject(new NoFileInForm()));
      const gone = () => reject(new FormCutOff());
      body.once('close', () => !body.readableEnded && gone());
      body.once('error', gone);
    });
    body.pipe(slices).pipe(form);
    try {
      await read;
      if (!taken) throw new NoFileInForm();
      return uploadAnswer((await taken).upload);
    } catch (error) {
      body.unpipe(slices);
      slices.unpipe(form);
      file?.destroy(error as Error);
      const kept = await taken?.catch(() => undefined);
      if (kept?.isNew) await this.uploads.delete(kept.upload);
      throw error instanceof FileTooLarge ? new PayloadTooLarge(TOO_LARGE) : error;
    }
  }

  private async keep(
    given: { accountId: string; idempotencyKey?: string; fileName: string | null },
    content: Readable,
  ): Promise<Kept> {
    const { accountId, idempotencyKey } = given;
    const { id, known } = await this.uploads.begin({ ...given, sizeBytes: null });
    if (known) {
      content.resume();
      return { upload: known, isNew: false };
    }
    const key = contentKey(id);
    try {
      const maxBytes = UPLOAD_BYTES_MAX;
      const { sizeBytes: bytes } = await this.files.write(key, content, { maxBytes });
      const piece = { at: 0, bytes, key, isLast: true };
      if (!(await this.uploads.addPiece({ id, accountId }, piece))) throw new NotFound();
      return { upload: await this.uploads.find(accountId, id), isNew: true };
    } catch (error) {
      const isOvertaken = !(await this.uploads.delete({ id, accountId }));
      // A later form with the same key has removed this upload, so its file could not be written or recorded. The file
      // may have been written after the upload's folder was removed.
      if (isOvertaken) await this.files.remove(key);
      throw isOvertaken && idempotencyKey !== undefined ? new IdempotencyKeyRunning() : error;
    }
  }
}

function inSlices(): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
        this.push(chunk.subarray(at, at + SLICE_BYTES));
      }
      done();
    },
  });
}

function openForm(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS });
  } catch {
    throw new NoFileInForm();
  }
}
