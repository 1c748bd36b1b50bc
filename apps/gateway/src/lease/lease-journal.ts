import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type Logger, SECOND_MS, monotonicMs } from '#libs/platform';
import {
  type HoldUse,
  type JournalRest,
  journalOf,
  readHolds,
  readLeases,
  readRows,
  readWriters,
} from './journal-lines.js';
import type { Lease } from './lease.js';

/**
 * After the file has grown by this many bytes (some 300,000 answers with their rows), it is rewritten with the lines
 * that are still needed.
 */
const COMPACT_AT_BYTES = 64 * 1024 * 1024;
const REOPEN_AFTER_MS = SECOND_MS;

export interface LeaseJournalOptions {
  path: string;
  /** The leases that a compacted file must contain. */
  openLeases: () => Iterable<Lease>;
  openHolds?: () => HoldUse[];
  /** Rows of charged answers that the request log has not written yet; a compacted file contains them. */
  unwrittenRows?: () => Iterable<string>;
  /** The id under which this run writes the request log. */
  writerId?: string;
  /** Called if lines could not be written: their charges must be settled at once. */
  onLost: () => void;
  logger: Logger;
  compactAtBytes?: number;
}

/** A hold in the form that the journal stores. */
export interface JournaledHold {
  /** The number of the hold within this run. */
  number: number;
  id: string;
  accountId: string;
  /** Credits for everything that has been sent. */
  charged: number;
}

/**
 * A file of this gateway's charges whose leases and holds are not closed yet, so that a killed process loses nothing.
 * Its lines are `@ id` of this run as a writer of the request log, `+ number lease account` when a lease is requested,
 * `= number total operation:total`, a tab and the answer's row of the request log after an answer, `~ count` when the
 * log has written that many more rows, `- number` when the lease is closed. Total and row share a line, so that a kill
 * never separates them. The number of a hold begins with `h`: `* number hold account`, a tab and the row for an
 * interrupted request, `= number total` for everything sent so far, `# number credits` for each part reported to
 * entitlement. Lines are written at the end of the turn of the event loop in which the answers were sent; the page
 * cache survives the process, so there is no fsync. A truncated last line is ignored.
 */
export class LeaseJournal {
  private file?: number;
  private pending = '';
  private isFlushPlanned = false;
  private sizeBytes = 0;
  private failedAtMs = -Infinity;

  constructor(private readonly options: LeaseJournalOptions) {}

  /**
   * Opens a new journal beside the journals of earlier runs, in a folder that is created if it is missing.
   * @returns what earlier runs left; call `forgetEarlier` when it is settled and written.
   */
  open(): JournalRest {
    mkdirSync(dirname(this.options.path), { recursive: true, mode: 0o700 });
    const earlier = `${this.options.path}.earlier`;
    // A run that ended before its replay was complete left both files; the older one is read first.
    const texts = [earlier, this.options.path].filter(existsSync).map(readText);
    const left = {
      uses: texts.flatMap((text) => readLeases(text)),
      holds: texts.flatMap((text) => readHolds(text)),
      rows: texts.flatMap((text) => readRows(text)),
      writerIds: texts.flatMap((text) => readWriters(text)),
    };
    if (left.uses.length + left.holds.length + left.rows.length > 0)
      writeWhole(earlier, journalOf(left));
    rmSync(this.options.path, { force: true });
    this.file = openSync(this.options.path, 'a', 0o600);
    const { writerId } = this.options;
    if (writerId !== undefined) this.append(`@ ${writerId}\n`);
    return left;
  }

  forgetEarlier(): void {
    rmSync(`${this.options.path}.earlier`, { force: true });
  }

  /** False while the file cannot be written; then every answer must be settled at once. */
  get isWritable(): boolean {
    return this.file !== undefined;
  }

  /**
   * Tries to open a file that could not be written, at most once a second.
   * @returns the new `isWritable`.
   */
  reopenIfDue(): boolean {
    const isDue = !this.isWritable && monotonicMs() - this.failedAtMs > REOPEN_AFTER_MS;
    if (isDue) this.compact();
    return this.isWritable;
  }

  /** Bytes written since the last rewrite. */
  get size(): number {
    return this.sizeBytes;
  }

  /** Free bytes on its disk for this user. */
  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(this.options.path));
    return bavail * bsize;
  }

  opened(lease: Lease): void {
    this.append(`+ ${lease.number} ${lease.id} ${lease.accountId}\n`);
  }

  /** @param row the row of the request log, in its text format with the line ending; undefined if the row was dropped. */
  used({ number, consumed, chargedBy }: Lease, operation?: string, row?: string): void {
    const by = operation === undefined ? '' : ` ${operation}:${chargedBy?.[operation]}`;
    this.append(`= ${number} ${consumed}${by}${row === undefined ? '\n' : `\t${row}`}`);
  }

  /** @param row the row that the request log gets if the request is interrupted, with its line ending. */
  holdOpened({ number, id, accountId }: JournaledHold, row: string): void {
    this.append(`* h${number} ${id} ${accountId}\t${row}`);
  }

  /** @param row as for `used`, once its request is over. */
  holdUsed({ number, charged }: JournaledHold, row?: string): void {
    this.append(`= h${number} ${charged}${row === undefined ? '\n' : `\t${row}`}`);
  }

  /** Records the next part, which is reported to entitlement. */
  holdPart({ number }: JournaledHold, credits: number): void {
    this.append(`# h${number} ${credits}\n`);
  }

  holdClosed({ number }: JournaledHold): void {
    this.append(`- h${number}\n`);
  }

  /** Records that the request log has written the next `count` rows, in the order in which they were added. */
  rowsWritten(count: number): void {
    if (count > 0) this.append(`~ ${count}\n`);
  }

  closed(lease: Lease): void {
    this.append(`- ${lease.number}\n`);
  }

  close(): void {
    this.flush();
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  private append(line: string): void {
    this.pending += line;
    if (this.isFlushPlanned) return;
    this.isFlushPlanned = true;
    setImmediate(this.flush);
  }

  private readonly flush = (): void => {
    this.isFlushPlanned = false;
    const text = this.pending;
    this.pending = '';
    if (text === '' || this.file === undefined) return;
    try {
      this.sizeBytes += writeAll(this.file, text);
      if (this.sizeBytes > (this.options.compactAtBytes ?? COMPACT_AT_BYTES)) this.compact();
    } catch (error) {
      this.fail(error);
    }
  };

  /** Writes a new file with the open items, which replaces the old file. */
  private compact(): void {
    try {
      const uses = [...this.options.openLeases()].map((lease) => ({
        leaseId: lease.id,
        accountId: lease.accountId,
        consumed: lease.consumed,
        operations: lease.chargedBy,
        number: lease.number,
      }));
      const rows = [...(this.options.unwrittenRows?.() ?? [])];
      const { writerId, openHolds } = this.options;
      const writerIds = writerId === undefined ? [] : [writerId];
      const holds = openHolds?.() ?? [];
      writeWhole(this.options.path, journalOf({ uses, holds, rows, writerIds }));
      if (this.file !== undefined) closeSync(this.file);
      this.file = openSync(this.options.path, 'a', 0o600);
      this.sizeBytes = 0;
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.options.logger.error(
      'the lease journal cannot be written; settling after each answer',
      error,
    );
    this.failedAtMs = monotonicMs();
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    this.options.onLost();
  }
}

const readText = (path: string) => readFileSync(path, 'utf8');

/** Writes a second file, so that the old file stays complete if this fails. */
function writeWhole(path: string, text: string): void {
  const next = `${path}.next`;
  const file = openSync(next, 'w', 0o600);
  try {
    writeAll(file, text);
  } finally {
    closeSync(file);
  }
  renameSync(next, path);
}

/** The lines of a turn are encoded in this buffer; longer texts get their own. */
const WRITE_BUFFER = Buffer.allocUnsafeSlow(256 * 1024);
/** UTF-8 needs at most this many bytes per UTF-16 unit. */
const UNIT_BYTES_MAX = 3;

/** @returns the bytes written. */
function writeAll(file: number, text: string): number {
  const isShort = text.length * UNIT_BYTES_MAX <= WRITE_BUFFER.length;
  const bytes = isShort ? WRITE_BUFFER : Buffer.from(text);
  const length = isShort ? bytes.write(text) : bytes.length;
  let written = 0;
  while (written < length) written += writeSync(file, bytes, written, length - written);
  return written;
}
