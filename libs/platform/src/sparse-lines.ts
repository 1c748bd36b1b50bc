import { MINUTE_MS } from './clock.js';

/** The maximum number of kinds that are counted separately; lines of further kinds are written one by one. */
const KINDS_MAX = 1_000;

interface Kind {
  count: number;
  /** Writes one line that represents `count` lines. */
  write(count: number): void;
}

/**
 * Thins out lines that a flood would write for each request: the first line of a kind is written at once, and the lines
 * of each following minute become one line with a count.
 */
export class SparseLines {
  private readonly kinds = new Map<string, Kind>();

  /** @param schedule runs a function later; by default, with a timer that does not keep the process alive. */
  constructor(
    private readonly schedule: (delayMs: number, run: () => void) => void = (delayMs, run) =>
      void setTimeout(run, delayMs).unref(),
  ) {}

  /**
   * Writes the first line of a kind at once; counts further ones, and writes only the last of a minute.
   * @param write writes the line, with the number of lines that it represents.
   */
  add(kind: string, write: (count: number) => void): void {
    const known = this.kinds.get(kind);
    if (known) {
      known.count += 1;
      known.write = write;
      return;
    }
    write(1);
    if (this.kinds.size >= KINDS_MAX) return;
    this.kinds.set(kind, { count: 0, write });
    this.waitFor(kind);
  }

  private waitFor(kind: string): void {
    this.schedule(MINUTE_MS, () => {
      const { count, write } = this.kinds.get(kind) as Kind;
      if (count === 0) {
        this.kinds.delete(kind);
        return;
      }
      this.kinds.set(kind, { count: 0, write });
      this.waitFor(kind);
      write(count);
    });
  }
}
