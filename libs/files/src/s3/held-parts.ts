import { monotonicMs } from '#libs/platform';
import { FilesUnavailable } from '../file-failures.js';

const HELD_BYTES_MAX = 128 * 1024 * 1024;

/**
 * Limits the memory for unfinished parts, which slow clients occupy for minutes. Above the limit, the upload whose part
 * has the greatest product of size and age is given up. A client of ordinary speed completes its part long before that.
 */
export class HeldParts {
  private bytes = 0;
  private readonly parts = new Set<HeldPart>();

  begin(): HeldPart {
    const part = new HeldPart((bytes) => this.change(part, bytes));
    this.parts.add(part);
    return part;
  }

  private change(part: HeldPart, bytes: number): void {
    if (!this.parts.has(part)) return;
    this.bytes += bytes;
    if (part.isOver) this.parts.delete(part);
    while (this.bytes > HELD_BYTES_MAX) {
      const nowMs = monotonicMs();
      const [costliest] = [...this.parts].toSorted(
        (one, other) => other.cost(nowMs) - one.cost(nowMs),
      );
      costliest.giveUp();
    }
  }
}

export class HeldPart {
  bytes = 0;
  isOver = false;
  private beganMs = monotonicMs();
  private fault?: FilesUnavailable;
  private onGivenUp: (fault: FilesUnavailable) => void = () => {};

  constructor(private readonly changed: (bytes: number) => void) {}

  cost(nowMs: number): number {
    return this.bytes * (nowMs - this.beganMs);
  }

  /** Passes the pieces on and counts them. @throws FilesUnavailable as soon as the part is given up. */
  async *fill(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    const pieces = content[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.unlessGivenUp(pieces.next());
        if (done) return;
        this.add(value.length);
        yield value;
      }
    } finally {
      // Not awaited, because a source that is waiting for its client does not return.
      pieces.return?.().catch(() => {});
    }
  }

  /** Records that bytes of the part were sent; the rest begins the next part. */
  sent(bytes: number): void {
    this.beganMs = monotonicMs();
    this.add(-bytes);
  }

  giveUp(): void {
    this.fault = new FilesUnavailable(new Error('too many slow uploads at a time'));
    this.end();
    this.onGivenUp(this.fault);
  }

  end(): void {
    this.isOver = true;
    this.add(-this.bytes);
  }

  private add(bytes: number): void {
    this.bytes += bytes;
    this.changed(bytes);
  }

  private unlessGivenUp<T>(next: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onGivenUp = reject;
      next.then(resolve, reject);
      if (this.fault) reject(this.fault);
    });
  }
}
