import { Transform, type TransformCallback } from 'node:stream';
import { PayloadTooLarge, monotonicMs } from '#libs/platform';
import { BodyPieces, tooManyPieces } from '../body-pieces.js';

/** A body on its way to the owner: counted, limited in size, with only a few pieces in memory at a time. */
export class MeteredBody extends Transform {
  sizeBytes = 0;
  /** When the last chunk was passed on, by `monotonicMs`. */
  movedMs = monotonicMs();
  private readonly pieces = new BodyPieces();

  constructor(private readonly limitBytes: number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.sizeBytes += chunk.length;
    if (this.sizeBytes > this.limitBytes) return done(new PayloadTooLarge());
    if (this.pieces.areTooMany(chunk)) return done(tooManyPieces);
    this.movedMs = monotonicMs();
    done(null, chunk);
  }

  /** Records that the whole body has been sent; from here on, the owner's time limit applies. */
  override _flush(done: TransformCallback): void {
    this.movedMs = monotonicMs();
    done();
  }

  /** The side that must act next: the owner has chunks to read, or the client has to send more. */
  get waitsFor(): 'client' | 'owner' {
    return this.writableEnded || this.readableLength > 0 ? 'owner' : 'client';
  }
}
