import { type Logger, Loop } from '#libs/platform';
import { type LogEntry, LogLines } from './log-line.js';

/** Where the lines go: `COPY … FROM STDIN` in its text format. */
export interface LogSink {
  /** @returns false when no partition takes one of the lines; nothing was written then. */
  copy(lines: Buffer): Promise<boolean>;
  /** Makes the partitions of today; needed only after the clock was moved. */
  makePartitions(): Promise<void>;
}

const ENTRIES_MAX = 50_000;
const FLUSH_MS = 200;
/** Entries that become bytes together: soon enough that their objects die young. */
const BATCH_ENTRIES = 64;
/** Batches in one COPY. */
const COPY_BATCHES_MAX = 160;

/** Lines of up to `BATCH_ENTRIES` entries. */
interface Batch {
  lines: Buffer;
  count: number;
  /** Lines of charged answers. */
  charged: number;
  /** The lines of charged answers, which the lease journal holds too. */
  rows: Buffer;
}

/**
 * The request log on its way to the database, copied every 200 ms. While the database is unavailable it holds
 * 50,000 entries; further ones are dropped and counted, requests never wait for it.
 */
export class RequestLog {
  private readonly lines = new LogLines();
  /** The newest lines, not yet bytes. */
  private newest = emptyLines();
  private batches: Batch[] = [];
  /** Entries in all, encoded or not. */
  private count = 0;
  private droppedCount = 0;
  private readonly loop: Loop;
  private listener: (count: number) => void = () => {};

  constructor(
    private readonly sink: LogSink,
    private readonly logger: Logger,
    private readonly entriesMax = ENTRIES_MAX,
  ) {
    this.loop = new Loop({
      name: 'request log',
      intervalMs: FLUSH_MS,
      logger,
      work: async () => this.flush(),
    });
  }

  start(): void {
    void this.loop.start();
  }

  /** @returns its line, for the lease journal; undefined when it was dropped. */
  add(entry: LogEntry): string | undefined {
    if (this.count >= this.entriesMax) {
      this.droppedCount++;
      return undefined;
    }
    this.count++;
    const line = this.lines.of(entry);
    const { newest } = this;
    newest.text += line;
    newest.count++;
    if (entry.credits > 0) {
      newest.rows += line;
      newest.charged++;
    }
    if (newest.count === BATCH_ENTRIES) this.encodeNewest();
    return line;
  }

  /** Rows of charged answers that are not in the database yet. */
  unwrittenRows(): string[] {
    const text = this.batches.map(({ rows }) => rows.toString()).join('') + this.newest.rows;
    return text.split('\n').slice(0, -1);
  }

  /** Calls back with the number of charged answers in each write, including those that no partition takes. */
  onWritten(listener: (count: number) => void): void {
    this.listener = listener;
  }

  /** Entries that are not in the database yet. */
  get waiting(): number {
    return this.count;
  }

  /** Entries that were dropped since the start. */
  get dropped(): number {
    return this.droppedCount;
  }

  /**
   * Writes what is there, one call at a time; what fails stays for the next. What comes while it writes waits
   * for the next too: else a busy gateway would do nothing but start one small COPY after another.
   * @returns false when it could not be written.
   */
  async flush(): Promise<boolean> {
    this.encodeNewest();
    let due = this.count;
    try {
      while (due > 0) {
        const batches = this.batches.slice(0, COPY_BATCHES_MAX);
        await this.write(batches);
        // What came meanwhile stands behind them.
        this.batches = this.batches.slice(batches.length);
        const written = countOf(batches);
        this.listener(batches.reduce((sum, { charged }) => sum + charged, 0));
        this.count -= written;
        due -= written;
      }
      return true;
    } catch (error) {
      this.logger.warn('the request log cannot be written, keeping it', error);
      return false;
    }
  }

  /** Stops and writes the rest, with what is added meanwhile, as long as it can be written. */
  async stop(): Promise<void> {
    await this.loop.stop();
    while (this.count > 0 && (await this.flush()));
  }

  private async write(batches: Batch[]): Promise<void> {
    const lines = Buffer.concat(batches.map((batch) => batch.lines));
    if (await this.sink.copy(lines)) return;
    await this.sink.makePartitions();
    if (await this.sink.copy(lines)) return;
    // Older than what is kept: it would stand in the way for ever.
    this.droppedCount += countOf(batches);
  }

  private encodeNewest(): void {
    const { text, count, charged, rows } = this.newest;
    if (count === 0) return;
    const lines = Buffer.from(text);
    // Kept as bytes: strings made of many parts would live as long as the database is unavailable.
    this.batches.push({
      lines,
      count,
      charged,
      rows: charged === count ? lines : Buffer.from(rows),
    });
    this.newest = emptyLines();
  }
}

const emptyLines = () => ({ text: '', rows: '', count: 0, charged: 0 });

function countOf(batches: Batch[]): number {
  return batches.reduce((sum, { count }) => sum + count, 0);
}
