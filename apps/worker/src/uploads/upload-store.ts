import type { Readable } from 'node:stream';
import { DataStore, Upload as TusUpload } from '@tus/server';
import { UPLOAD_BYTES_MAX } from '#libs/contracts';
import type { FileContent, FileStore } from '#libs/files';
import { PayloadTooLarge, Problem, monotonicMs, newId } from '#libs/platform';
import type { UploadsService } from './uploads.service.js';
import { UPLOAD_KEPT_MS, type Upload, shownName, uploadFolder } from './upload.js';

/** The size at which a piece ends. After a crash, only the data of the last piece must be sent again. */
const PIECE_BYTES = 32 * 1024 ** 2;
/** Maximum number of pieces, so that a client that sends single bytes cannot fill a folder with files. */
const PIECES_MAX = 1_000;
const MOVED_ON = { status_code: 409, body: 'Upload-Offset conflict\n' };
const TOO_MANY_PIECES = {
  status_code: 413,
  body: JSON.stringify(
    new PayloadTooLarge(
      `An upload can consist of at most ${PIECES_MAX} pieces. Start a new one, and send larger pieces.`,
    ).toBody(),
  ),
};
const EXTENSIONS = ['creation', 'creation-with-upload', 'termination', 'expiration'];

/** The uploads of one account, as the tus library sees them. Each piece is a file. */
export class UploadStore extends DataStore {
  constructor(
    private readonly accountId: string,
    private readonly uploads: UploadsService,
    private readonly files: FileStore,
  ) {
    super();
    this.extensions = EXTENSIONS;
  }

  override async create(upload: TusUpload): Promise<TusUpload> {
    const { id, size = null, metadata } = upload;
    const fileName = shownName(metadata?.filename ?? metadata?.name);
    const { accountId } = this;
    await told(this.uploads.begin({ id, accountId, sizeBytes: size, fileName }));
    if (size === 0) await this.store(id, { at: 0, size }, []);
    const begun = await told(this.uploads.find(accountId, id));
    return Object.assign(upload, { creation_date: this.startOf(begun) });
  }

  /**
   * Stores a body. Data that arrived before the client disconnected is kept. @returns the number of bytes stored so
   * far.
   */
  override async write(source: Readable, id: string, offset: number): Promise<number> {
    const { sizeBytes: size, pieces } = await told(this.uploads.find(this.accountId, id));
    const incoming = new Incoming(source);
    let at = offset;
    for (let count = pieces.length; !incoming.isOver; count++) {
      if (count >= PIECES_MAX) throw TOO_MANY_PIECES;
      at = await this.store(id, { at, size }, incoming.next());
    }
    return at;
  }

  override async getUpload(id: string): Promise<TusUpload> {
    const found = await told(this.uploads.find(this.accountId, id));
    return new TusUpload({
      id,
      size: found.sizeBytes ?? undefined,
      offset: found.receivedBytes,
      creation_date: this.startOf(found),
    });
  }

  override async remove(id: string): Promise<void> {
    await told(this.uploads.remove(this.accountId, id));
  }

  override getExpiration(): number {
    return UPLOAD_KEPT_MS;
  }

  /** Returns the start time by the machine's clock, because the tus library compares it with that clock. */
  private startOf(upload: Upload): string {
    const nowMs = performance.timeOrigin + monotonicMs();
    return new Date(nowMs - this.uploads.ageMs(upload)).toISOString();
  }

  private async store(
    id: string,
    { at, size }: { at: number; size: number | null },
    content: FileContent,
  ): Promise<number> {
    const key = `${uploadFolder(id)}pieces/${at}-${newId()}`;
    const { sizeBytes } = await told(
      this.files.write(key, content, { maxBytes: UPLOAD_BYTES_MAX }),
    );
    const end = at + sizeBytes;
    if (sizeBytes > 0 || size === 0) {
      const piece = { at, bytes: sizeBytes, key, isLast: end === size };
      if (await told(this.uploads.addPiece({ id, accountId: this.accountId }, piece))) return end;
    }
    await this.files.remove(key);
    if (sizeBytes > 0) throw MOVED_ON;
    return at;
  }
}

/** Divides a body into pieces. Each piece is read as fast as it is stored. */
class Incoming {
  isOver = false;
  private readonly chunks: AsyncIterator<Buffer>;

  constructor(source: Readable) {
    this.chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Returns the next piece. An interrupted body ends with the data that has arrived. */
  async *next(): AsyncGenerator<Buffer> {
    for (let bytes = 0; bytes < PIECE_BYTES;) {
      const { done, value } = await this.chunks.next().catch(() => OVER);
      if (done) {
        this.isOver = true;
        return;
      }
      bytes += value.length;
      yield value;
    }
  }
}

const OVER: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Waits for `work`. If it fails with a `Problem`, adds the members that the tus library passes on. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw Object.assign(error, { status_code: error.status, body: JSON.stringify(error.toBody()) });
  }
}
