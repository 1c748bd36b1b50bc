/** A line that has not been sent yet, and its approximate length. */
interface Waiting {
  line: () => string | undefined;
  bytes: number;
}

/**
 * A queue of lines for the corpus. When the queue is full, the oldest lines are dropped, so that memory does not grow
 * and answers do not wait.
 */
export class ObservationRing {
  private waiting: Waiting[] = [];
  private bytes = 0;
  dropped = 0;

  constructor(private readonly limits: { lines: number; bytes: number }) {}

  get size(): number {
    return this.waiting.length;
  }

  /** Adds a line. @param line creates the text when it is sent; undefined if there is nothing to send. */
  add(line: () => string | undefined, bytes: number): void {
    this.waiting.push({ line, bytes });
    this.bytes += bytes;
    this.makeRoom();
  }

  /** Removes the oldest lines, about `bytesMax` bytes. @returns their text, and a function that puts them back. */
  take(bytesMax: number): { text: string; lines: number; bytes: number; putBack: () => void } {
    let bytes = 0;
    let count = 0;
    while (count < this.waiting.length && (count === 0 || bytes < bytesMax)) {
      bytes += this.waiting[count++].bytes;
    }
    const taken = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    this.bytes -= bytes;
    const lines = taken.map(({ line }) => line()).filter((line) => line !== undefined);
    return {
      text: lines.join('\n'),
      lines: lines.length,
      bytes,
      putBack: () => {
        this.waiting = [...taken, ...this.waiting];
        this.bytes += bytes;
        this.makeRoom();
      },
    };
  }

  private makeRoom(): void {
    const { lines, bytes } = this.limits;
    let count = 0;
    while (this.waiting.length - count > lines || this.bytes > bytes) {
      const oldest = this.waiting.at(count);
      if (!oldest) break;
      this.bytes -= oldest.bytes;
      count++;
    }
    if (count === 0) return;
    this.waiting = this.waiting.slice(count);
    this.dropped += count;
  }
}
