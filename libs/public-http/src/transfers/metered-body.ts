import { Transform, type TransformCallback } from 'node:stream';
import { PayloadTooLarge, monotonicMs } from '#libs/platform';

/** A body on its way to its owner: counted, bounded, and never more of it in memory than a few pieces. */
export class MeteredBody extends Transform {
  sizeBytes = 0;
  /** When the last piece was passed on, by `monotonicMs`. */
  movedMs = monotonicMs();

  constructor(private readonly limitBytes: number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.sizeBytes += chunk.length;
    if (this.sizeBytes > this.limitBytes) return done(new PayloadTooLarge());
    this.movedMs = monotonicMs();
    done(null, chunk);
  }

  /** The time from here on is the owner's: the whole body is on its way. */
  override _flush(done: TransformCallback): void {
    this.movedMs = monotonicMs();
    done();
  }

  /** The side whose turn it is: the owner has pieces to take, or the client has to send more. */
  get waitsFor(): 'client' | 'owner' {
    return this.writableEnded || this.readableLength > 0 ? 'owner' : 'client';
  }
}
