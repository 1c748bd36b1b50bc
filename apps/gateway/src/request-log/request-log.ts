import { type Logger, SECOND_MS } from '#libs/platform';

/** One request of a known account. Never holds a key; `subject` is what was asked about. */
export interface LogEntry {
  /** Milliseconds since 1970. */
  atMs: number;
  requestId: string;
  accountId: string;
  keyId: string;
  operation: string;
  version: number;
  subject: string;
  status: number;
  outcome: string;
  credits: number;
  durationMs: number;
}

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
const SUBJECT_MAX = 255;
/** What the text format of COPY gives a meaning. */
// oxlint-disable-next-line eslint/no-control-regex -- these are what is escaped
const SPECIAL = /[\\\u0000-\u001f]/;
// oxlint-disable-next-line eslint/no-control-regex -- these are what is escaped
const SPECIALS = /[\\\u0000-\u001f]/g;

/** Lines of up to `BATCH_ENTRIES` entries. */
interface Batch {
  lines: Buffer;
  count: number;
}

/**
 * The request log on its way to the database, copied every 200 ms. While the database is away it holds
 * 50,000 entries; further ones are dropped and counted, requests never wait for it.
 */
export class RequestLog {
  /** The newest entries, not yet encoded. */
  private entries: LogEntry[] = [];
  private batches: Batch[] = [];
  /** Entries in all, encoded or not. */
  private count = 0;
  private isFlushing = false;
  private droppedCount = 0;
  private timer?: NodeJS.Timeout;
  private lastSecond = -1;
  private lastSecondText = '';

  constructor(
    private readonly sink: LogSink,
    private readonly logger: Logger,
    private readonly entriesMax = ENTRIES_MAX,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS);
  }

  add(entry: LogEntry): void {
    if (this.count >= this.entriesMax) {
      this.droppedCount++;
      return;
    }
    this.count++;
    if (this.entries.push(entry) === BATCH_ENTRIES) this.encodeEntries();
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
   * Writes what is there; what fails stays for the next time. What comes while it writes waits for the next
   * time too: else a busy gateway would do nothing but start one small COPY after another.
   * @returns false when it could not be written, or another call is writing.
   */
  async flush(): Promise<boolean> {
    if (this.isFlushing) return false;
    this.isFlushing = true;
    this.encodeEntries();
    let due = this.count;
    try {
      while (due > 0) {
        const batches = this.batches.slice(0, COPY_BATCHES_MAX);
        await this.write(batches);
        // What came meanwhile stands behind them.
        this.batches = this.batches.slice(batches.length);
        const written = countOf(batches);
        this.count -= written;
        due -= written;
      }
      return true;
    } catch (error) {
      this.logger.warn('the request log cannot be written, keeping it', error);
      return false;
    } finally {
      this.isFlushing = false;
    }
  }

  /** Stops and writes the rest, with what is added meanwhile, as long as it can be written. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    while (this.isFlushing) await new Promise((resolve) => setTimeout(resolve, 5));
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

  private encodeEntries(): void {
    if (this.entries.length === 0) return;
    let text = '';
    for (const entry of this.entries) {
      text += `${this.timeOf(entry.atMs)}\t${entry.requestId}\t${entry.accountId}\t${entry.keyId}\t${entry.operation}\t${entry.version}\t${escaped(entry.subject.slice(0, SUBJECT_MAX))}\t${entry.status}\t${escaped(entry.outcome)}\t${entry.credits}\t${entry.durationMs}\n`;
    }
    this.batches.push({ lines: Buffer.from(text), count: this.entries.length });
    this.entries = [];
  }

  /** RFC 3339; the text of a second is made once. */
  private timeOf(atMs: number): string {
    const second = Math.floor(atMs / SECOND_MS);
    if (second !== this.lastSecond) {
      this.lastSecond = second;
      this.lastSecondText = isoSecond(second);
    }
    return `${this.lastSecondText}.${String(atMs - second * SECOND_MS).padStart(3, '0')}Z`;
  }
}

function countOf(batches: Batch[]): number {
  return batches.reduce((sum, { count }) => sum + count, 0);
}

function isoSecond(second: number): string {
  return new Date(second * SECOND_MS).toISOString().slice(0, 19);
}

function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(SPECIALS, (unit) => (unit === '\\' ? '\\\\' : ' '));
}
