import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type NameFindings, PASSING_OUTCOMES } from '#libs/contracts';
import { SECOND_MS, monotonicMs } from '#libs/platform';
import type { Job } from '../jobs/job.js';
import { NOBODY, upstreamOf } from '../names/read-name.js';
import type { Chunk, NewChunk } from './chunks.repository.js';
import { type ResultRow, writeRow } from './result-row.js';

const compress = promisify(gzip);

/** How often a name is looked up before its failure is final. */
const PASSES = 3;
const RETRY_SECONDS = 60;

export interface Follower extends Omit<NewChunk, 'number'> {
  delaySeconds: number;
}

/** The result for one name, with the time of observation if it is older than the request. */
export type ChunkFindings = Omit<NameFindings, 'servedFrom'> & { observedAt?: string };

/** The row as text; the object would take ten times as much memory. */
interface WrittenRow {
  line: number;
  text: string;
}

export class ChunkAnswers {
  charged = 0;
  /** Whether an upstream had no turn for some of the names. */
  isRefused = false;
  /**
   * True if the names of this chunk are not part of the price. Lookup may still answer them, because it may have more
   * upstreams than the price calculation.
   */
  private readonly isFree: boolean;
  private readonly rows: WrittenRow[] = [];
  private readonly waiting: number[] = [];
  private readonly failing: number[] = [];
  private readonly seen = new Set<number>();
  /**
   * The monotonic time at which the first upstream is ready. Each answer states a delay from its own arrival, so delays
   * cannot be compared directly.
   */
  private readyAtMs = Infinity;

  constructor(
    private readonly job: Job,
    private readonly chunk: Chunk,
  ) {
    this.isFree = job.unsupported > 0 && upstreamOf(chunk.names[0]) === NOBODY;
  }

  add(found: ChunkFindings): void {
    const { index, laterSeconds, outcome } = found;
    this.seen.add(index);
    if (laterSeconds !== undefined) {
      this.isRefused = true;
      this.waiting.push(index);
      this.readyAtMs = Math.min(this.readyAtMs, monotonicMs() + laterSeconds * SECOND_MS);
    } else if (PASSING_OUTCOMES.includes(outcome) && this.chunk.pass + 1 < PASSES) {
      this.failing.push(index);
    } else {
      const isCharged = found.isCharged && !this.isFree;
      this.write(rowOf({ ...found, isCharged }, this.chunk.lines[index], this.chunk.names[index]));
    }
  }

  /** The indexes of the names without a result. */
  get open(): number[] {
    return this.chunk.names.map((_, index) => index).filter((index) => !this.seen.has(index));
  }

  /** Postpones the names without an answer, which are looked up again soon. */
  putOff(): void {
    for (const index of this.open) {
      this.seen.add(index);
      this.waiting.push(index);
    }
    this.readyAtMs = Math.min(this.readyAtMs, monotonicMs());
  }

  /** Records that the job's time is over, so that names without an answer stay unanswered. */
  close(): void {
    const { names, lines } = this.chunk;
    for (const index of [...this.waiting.splice(0), ...this.failing.splice(0), ...this.open]) {
      const row = { line: lines[index], name: names[index], outcome: 'unanswered' };
      this.write({ ...row, isCharged: false });
    }
  }

  /** The number of names with an answer or a final failure. */
  get answered(): number {
    return this.rows.length;
  }

  /**
   * The seconds after which the whole chunk is retried; undefined if any name has an answer or a
   * failure.
   */
  get allLaterSeconds(): number | undefined {
    return this.rows.length === 0 && this.failing.length === 0 ? this.laterSeconds : undefined;
  }

  /** The new chunks for the names that are looked up again. */
  get followers(): Follower[] {
    const { names, lines, pass } = this.chunk;
    const of = (indexes: number[], passes: number, delaySeconds: number): Follower[] =>
      indexes.length === 0
        ? []
        : [
            {
              names: indexes.map((index) => names[index]),
              lines: indexes.map((index) => lines[index]),
              pass: passes,
              delaySeconds,
            },
          ];
    return [
      ...of(this.waiting, pass, this.laterSeconds),
      ...of(this.failing, pass + 1, RETRY_SECONDS),
    ];
  }

  /** Returns a gzip member (RFC 1952) with the rows in the order of their lines. */
  async member(): Promise<Buffer> {
    const rows = this.rows.toSorted((one, other) => one.line - other.line);
    return compress(rows.map(({ text }) => text).join(''));
  }

  private write(row: ResultRow): void {
    const { kind, format } = this.job;
    this.rows.push({ line: row.line, text: writeRow(kind, format, row) });
    if (row.isCharged) this.charged += 1;
  }

  private get laterSeconds(): number {
    const seconds = Math.ceil((this.readyAtMs - monotonicMs()) / SECOND_MS);
    return Number.isFinite(seconds) ? Math.max(1, seconds) : 1;
  }
}

function rowOf(
  { outcome, isCharged, observedAt, body, problem }: Omit<ChunkFindings, 'index'>,
  line: number,
  name: string,
): ResultRow {
  const at = observedAt ?? queryTime(body);
  return { line, name, outcome, isCharged, observedAt: at, body, problem };
}

function queryTime(body: Record<string, unknown> = {}): string | undefined {
  const { query_time: time } = body;
  return typeof time === 'string' ? `${time.replace(' ', 'T')}.000Z` : undefined;
}
