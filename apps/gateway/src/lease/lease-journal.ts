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
 * The file is rewritten with what is still needed when it has grown by this many bytes: some 300,000 answers
 * with their rows of the request log.
 */
const COMPACT_AT_BYTES = 64 * 1024 * 1024;
const REOPEN_AFTER_MS = SECOND_MS;

export interface LeaseJournalOptions {
  path: string;
  /** The leases that a compacted file must hold. */
  openLeases: () => Iterable<Lease>;
  openHolds?: () => HoldUse[];
  /** Rows of charged answers that the request log has not written yet; a compacted file holds them. */
  unwrittenRows?: () => Iterable<string>;
  /** Under which this run writes the request log. */
  writerId?: string;
  /** Lines could not be written: their charges must be settled at once. */
  onLost: () => void;
  logger: Logger;
  compactAtBytes?: number;
}

/** A hold as the journal knows it. */
export interface JournaledHold {
  /** Within this run. */
  number: number;
  id: string;
  accountId: string;
  /** Credits for what has been sent. */
  charged: number;
}

/**
 * What this gateway has charged and not yet closed, in a file, so that a killed process loses nothing:
 * `@ id` of this run as a writer of the request log, `+ number lease account` when a lease is asked for, `= number total
 * operation:total`, a tab and the answer's row of the request log after an answer, `~ count` when the log has written that many rows more, `- number` when the
 * lease is closed. Total and row share a line, so that a kill never parts them. The number of a hold begins with `h`: `* number hold
 * account`, a tab and the row it gets when its request is broken off, `= number total` for what has been sent so far,
 * `# number credits` for each part that entitlement is told. Lines are written at the end of the turn of the event
 * loop that sent the answers; the page cache survives the process, so no fsync. A last line cut short is ignored.
 */
export class LeaseJournal {
  private file?: number;
  private pending = '';
  private isFlushPlanned = false;
  private sizeBytes = 0;
  private failedAtMs = -Infinity;

  constructor(private readonly options: LeaseJournalOptions) {}

  /**
   * Opens a new journal beside those of earlier runs, in a folder that is made when it is missing.
   * @returns what earlier runs left; call `forgetEarlier` when it is settled and written.
   */
  open(): JournalRest {
    mkdirSync(dirname(this.options.path), { recursive: true, mode: 0o700 });
    const earlier = `${this.options.path}.earlier`;
    // A run that ended before its replay did has left both files: the older one goes first.
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

  /** False while the file cannot be written: then every answer must be settled at once. */
  get isWritable(): boolean {
    return this.file !== undefined;
  }

  /**
   * Tries to open a file that could not be written, at most once a second.
   * @returns `isWritable`, then.
   */
  reopenIfDue(): boolean {
    const isDue = !this.isWritable && monotonicMs() - this.failedAtMs > REOPEN_AFTER_MS;
    if (isDue) this.compact();
    return this.isWritable;
  }

  /** Bytes written since it was last rewritten. */
  get size(): number {
    return this.sizeBytes;
  }

  /** Bytes that its disk has left for this user. */
  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(this.options.path));
    return bavail * bsize;
  }

  opened(lease: Lease): void {
    this.append(`+ ${lease.number} ${lease.id} ${lease.accountId}\n`);
  }

  /** @param row of the request log, in its text format with the end of the line; none when it was dropped. */
  used({ number, consumed, chargedBy }: Lease, operation?: string, row?: string): void {
    const by = operation === undefined ? '' : ` ${operation}:${chargedBy?.[operation]}`;
    this.append(`= ${number} ${consumed}${by}${row === undefined ? '\n' : `\t${row}`}`);
  }

  /** @param row what the log gets, with the end of its line, when the request is broken off. */
  holdOpened({ number, id, accountId }: JournaledHold, row: string): void {
    this.append(`* h${number} ${id} ${accountId}\t${row}`);
  }

  /** @param row as of `used`, once its request is over. */
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

  /** The request log has written the next `count` rows, in the order in which they were given. */
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

  /** Writes a new file with what is open and puts it in place of the old one. */
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

/** Writes a second file: the old one stays whole when this cannot be written. */
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

/** A turn's lines become bytes in it; longer texts get a buffer of their own. */
const WRITE_BUFFER = Buffer.allocUnsafeSlow(256 * 1024);
/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
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
