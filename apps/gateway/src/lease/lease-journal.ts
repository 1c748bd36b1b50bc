import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
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

/** A file that has grown by this much (300,000 answers) is rewritten with only the lines still needed. */
const COMPACT_AT_BYTES = 64 * 1024 * 1024;
const REOPEN_AFTER_MS = SECOND_MS;

export interface LeaseJournalOptions {
  path: string;
  /** The leases that a rewritten file must contain. */
  openLeases: () => Iterable<Lease>;
  openHolds?: () => HoldUse[];
  /** The rows of charged answers that the request log has not written yet. A rewritten file contains them. */
  unwrittenRows?: () => Iterable<string>;
  /** The id under which this process writes the request log. */
  writerId?: string;
  /** Called if lines could not be written. Their charges must be settled at once. */
  onLost: () => void;
  logger: Logger;
  /** The growth after which the file is rewritten, 64 MiB by default. */
  compactAtBytes?: number;
}

export interface JournaledHold {
  number: number;
  id: string;
  accountId: string;
  charged: number;
}

/**
 * A file with the charges of all open leases and holds, so that a killed process loses none.
 *
 * Lines of leases: `@ id` (the id under which this process writes the request log), `+ number lease account` (a lease
 * is requested), `= number total operation:total`, a tab and the row of the request log (an answer was sent), `~ count`
 * (the log has written that many more rows) and `- number` (the lease is closed). Total and row share a line, so that a
 * kill cannot separate them.
 *
 * Lines of holds, whose numbers begin with `h`: `* number hold account`, a tab and the row for an interrupted request,
 * `= number total` (the credits for everything sent so far) and `# number credits` (a part is reported to entitlement).
 *
 * Lines are written at the end of the event-loop turn in which the answers were sent. There is no fsync, because the
 * page cache survives the process. A truncated last line is ignored.
 */
export class LeaseJournal {
  private file?: number;
  private pending = '';
  private isFlushPlanned = false;
  private sizeBytes = 0;
  private failedAtMs = -Infinity;

  constructor(private readonly options: LeaseJournalOptions) {}

  /**
   * Opens a new journal beside the journals of earlier processes. Creates the folder if it is missing.
   * @returns what earlier processes left; call `forgetEarlier` once all of that is settled and written.
   * @throws if a file cannot be read or written.
   */
  open(): JournalRest {
    mkdirSync(dirname(this.options.path), { recursive: true, mode: 0o700 });
    const earlier = `${this.options.path}.earlier`;
    // Both files exist if the last process ended before its replay was complete. The older file is read first.
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

  /** False while the file cannot be written. Every answer must then be settled at once. */
  get isWritable(): boolean {
    return this.file !== undefined;
  }

  /**
   * Tries to reopen an unwritable file, at most once a second.
   * @returns the new `isWritable`.
   */
  reopenIfDue(): boolean {
    const isDue = !this.isWritable && monotonicMs() - this.failedAtMs > REOPEN_AFTER_MS;
    if (isDue) this.compact();
    return this.isWritable;
  }

  /**
   * Whether the file still belongs to this process; false once a later process has opened the journal, or if the file
   * cannot be read.
   */
  get isOwn(): boolean {
    const { path, writerId } = this.options;
    const first = Buffer.from(`@ ${writerId}\n`);
    try {
      return firstBytes(path, first.length).equals(first);
    } catch {
      return false;
    }
  }

  /** The number of bytes written since the last rewrite. */
  get size(): number {
    return this.sizeBytes;
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(this.options.path));
    return bavail * bsize;
  }

  opened(lease: Lease): void {
    this.append(`+ ${lease.number} ${lease.id} ${lease.accountId}\n`);
  }

  /**
   * @param row the row of the request log, in the log's text format with its line ending; undefined if the row was
   *   dropped.
   */
  used(lease: Lease, operation?: string, row?: string): void {
    const by = operation === undefined ? '' : ` ${operation}:${lease.chargedFor(operation)}`;
    this.append(`= ${lease.number} ${lease.consumed}${by}${row === undefined ? '\n' : `\t${row}`}`);
  }

  /** @param row the row that the request log gets if the request is interrupted, with its line ending. */
  holdOpened({ number, id, accountId }: JournaledHold, row: string): void {
    this.append(`* h${number} ${id} ${accountId}\t${row}`);
  }

  /** @param row as for `used`, once the request is over. */
  holdUsed({ number, charged }: JournaledHold, row?: string): void {
    this.append(`= h${number} ${charged}${row === undefined ? '\n' : `\t${row}`}`);
  }

  /** Records the next part that is reported to entitlement. */
  holdPart({ number }: JournaledHold, credits: number): void {
    this.append(`# h${number} ${credits}\n`);
  }

  holdClosed({ number }: JournaledHold): void {
    this.append(`- h${number}\n`);
  }

  /** Records that the request log has written the next `count` rows, in the order they were added here. */
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

  /** Replaces the file with one that contains only the lines that are still needed. */
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
      // The file already has the effects of these lines. If they were written again, a part of a hold or a count of
      // rows would count twice.
      this.pending = '';
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.options.logger.error(
      'the lease journal cannot be written; each answer is settled at once',
      error,
    );
    this.failedAtMs = monotonicMs();
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    this.options.onLost();
  }
}

const readText = (path: string) => readFileSync(path, 'utf8');

function firstBytes(path: string, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes);
  } finally {
    closeSync(file);
  }
  return bytes;
}

/** Replaces a file. If this fails, the old one stays complete. */
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

/** The buffer in which the lines of a turn are encoded. Longer text gets its own buffer. */
const WRITE_BUFFER = Buffer.allocUnsafeSlow(256 * 1024);
/** The maximum number of UTF-8 bytes per UTF-16 code unit. */
const UNIT_BYTES_MAX = 3;

/** @returns the number of bytes written. */
function writeAll(file: number, text: string): number {
  const isShort = text.length * UNIT_BYTES_MAX <= WRITE_BUFFER.length;
  const bytes = isShort ? WRITE_BUFFER : Buffer.from(text);
  const length = isShort ? bytes.write(text) : bytes.length;
  let written = 0;
  while (written < length) written += writeSync(file, bytes, written, length - written);
  return written;
}
