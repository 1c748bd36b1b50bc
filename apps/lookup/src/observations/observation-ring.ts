/** A line that waits, and about how long it will be. */
interface Waiting {
  line: () => string | undefined;
  bytes: number;
}

/**
 * Lines that wait to be handed over, the oldest first. What has no room pushes the oldest out: neither memory nor
 * the answer that a line tells of waits for whoever takes them.
 */
export class ObservationRing {
  private waiting: Waiting[] = [];
  private bytes = 0;
  /** Lines that were pushed out since the start. */
  dropped = 0;

  constructor(private readonly limits: { lines: number; bytes: number }) {}

  get size(): number {
    return this.waiting.length;
  }

  /** @param line is made when it is handed over; undefined: there is nothing to tell. */
  add(line: () => string | undefined, bytes: number): void {
    this.waiting.push({ line, bytes });
    this.bytes += bytes;
    this.makeRoom();
  }

  /** Takes lines out, as many as fit. @returns their text, and what puts them back. */
  take(bytesMax: number): { text: string; lines: number; putBack: () => void } {
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
