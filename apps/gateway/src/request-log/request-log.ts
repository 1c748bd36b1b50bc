import { type Logger, Loop } from '#libs/platform';
import { type LogEntry, LogLines, isCharged } from './log-line.js';

/** The destination of the log's lines, which receives them in the text format of COPY. */
export interface LogSink {
  /** Writes lines. @returns false if no partition accepts one of them; in that case, nothing was written. */
  copy(lines: Buffer): Promise<boolean>;
  /**
   * Creates the partitions of today and of the given days (`YYYY-MM-DD`). Needed only after the clock has been changed,
   * or after the database was unavailable for days.
   */
  makePartitions(days: ReadonlySet<string>): Promise<void>;
}

const ENTRIES_MAX = 50_000;
const FLUSH_MS = 200;
/** Size of a chunk. Lines are encoded immediately into reused chunks, which creates no garbage. */
const CHUNK_BYTES = 256 * 1024;
/** Maximum number of chunks per COPY, and of written chunks kept for reuse. */
const COPY_CHUNKS_MAX = 6;
/** The maximum number of UTF-8 bytes per UTF-16 code unit. */
const UNIT_BYTES_MAX = 3;

/** A chunk of lines. The bytes from `from` to `to` are not written yet. */
interface Chunk {
  bytes: Buffer;
  from: number;
  to: number;
  count: number;
  charged: number;
}

/**
 * Buffers the request log and copies it to the database every 200 ms. While the database is unavailable, the buffer
 * keeps 50,000 entries. Further entries are dropped and counted. Requests never wait for the log.
 */
export class RequestLog {
  private readonly lines = new LogLines();
  /** The chunks in order. The last chunk accepts further lines. */
  private chunks: Chunk[] = [newChunk()];
  private readonly spare: Buffer[] = [];
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

  /** Adds an entry. @returns its line, for the lease journal; undefined if the entry was dropped. */
  add(entry: LogEntry): string | undefined {
    if (this.count >= this.entriesMax) {
      this.droppedCount++;
      return undefined;
    }
    this.count++;
    const line = this.lines.of(entry);
    const chunk = this.chunkFor(line.length * UNIT_BYTES_MAX);
    chunk.to += chunk.bytes.write(line, chunk.to);
    chunk.count++;
    if (entry.credits > 0) chunk.charged++;
    return line;
  }

  /** Returns the rows of charged answers that are not yet in the database. */
  unwrittenRows(): string[] {
    const lines = this.chunks.flatMap(({ bytes, from, to }) =>
      bytes.toString('utf8', from, to).split('\n').slice(0, -1),
    );
    return lines.filter(isCharged);
  }

  /**
   * Calls `listener` after each write with its number of charged answers, including those that no partition accepted.
   */
  onWritten(listener: (count: number) => void): void {
    this.listener = listener;
  }

  /** The number of entries that are not in the database yet. */
  get waiting(): number {
    return this.count;
  }

  get dropped(): number {
    return this.droppedCount;
  }

  /**
   * Writes the pending lines; calls must not overlap. Lines that could not be written wait for the next call, and so do
   * lines that arrive during a write; otherwise, a busy gateway would make one small COPY after another.
   * @returns false if the lines could not be written.
   */
  async flush(): Promise<boolean> {
    let due = this.count;
    try {
      while (due > 0) {
        // This is a copy of the list; later lines go into further chunks.
        const parts = this.chunks.slice(0, COPY_CHUNKS_MAX).map((chunk) => ({ ...chunk }));
        await this.write(parts);
        this.forget(parts);
        const written = countOf(parts);
        this.listener(parts.reduce((sum, { charged }) => sum + charged, 0));
        this.count -= written;
        due -= written;
      }
      return true;
    } catch (error) {
      this.logger.warn('the request log cannot be written; its entries are kept', error);
      return false;
    }
  }

  /** Stops, and writes the remaining lines as long as writing succeeds, including lines added in the meantime. */
  async stop(): Promise<void> {
    await this.loop.stop();
    while (this.count > 0 && (await this.flush()));
  }

  private async write(parts: Chunk[]): Promise<void> {
    const lines = Buffer.concat(parts.map(({ bytes, from, to }) => bytes.subarray(from, to)));
    if (await this.sink.copy(lines)) return;
    await this.sink.makePartitions(daysOf(lines));
    if (await this.sink.copy(lines)) return;
    // One of these lines is older than the oldest partition, and would block the log forever.
    this.droppedCount += countOf(parts);
  }

  private chunkFor(bytes: number): Chunk {
    const last = this.chunks[this.chunks.length - 1];
    if (last.bytes.length - last.to >= bytes) return last;
    const next = newChunk(bytes > CHUNK_BYTES ? Buffer.allocUnsafeSlow(bytes) : this.spare.pop());
    this.chunks.push(next);
    return next;
  }

  private forget(parts: Chunk[]): void {
    for (const [place, { to, count, charged }] of parts.entries()) {
      const chunk = this.chunks[place];
      chunk.from = to;
      chunk.count -= count;
      chunk.charged -= charged;
      if (chunk.count > 0 || this.spare.length === COPY_CHUNKS_MAX) continue;
      if (chunk.bytes.length === CHUNK_BYTES) this.spare.push(chunk.bytes);
    }
    this.chunks = this.chunks.filter(({ count }) => count > 0);
    if (this.chunks.length === 0) this.chunks.push(newChunk(this.spare.pop()));
  }
}

const newChunk = (bytes: Buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)): Chunk => ({
  bytes,
  from: 0,
  to: 0,
  count: 0,
  charged: 0,
});

/** Returns the days of lines. A line begins with its time. */
const daysOf = (lines: Buffer) =>
  new Set(lines.toString('latin1').match(/^\d{4}-\d\d-\d\d(?=T)/gm) ?? []);

function countOf(parts: Chunk[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}
