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
import type { LeaseUse } from '#libs/contracts';
import { type Logger, SECOND_MS, isId, monotonicMs } from '#libs/platform';
import type { Lease } from './lease.js';

/**
 * The file is rewritten with what is still needed when it has grown by this many bytes: some 300,000 answers
 * with their rows of the request log.
 */
const COMPACT_AT_BYTES = 64 * 1024 * 1024;
const REOPEN_AFTER_MS = SECOND_MS;
const TOTAL = /^[0-9]{1,12}$/;
const OPERATION_TOTAL = /^([a-z][a-z0-9_.-]{0,59}):([0-9]{1,12})$/;

export interface LeaseJournalOptions {
  path: string;
  /** What a compacted file must hold. */
  openLeases: () => Iterable<Lease>;
  /** Rows of charged answers that the request log has not written yet; a compacted file holds them. */
  unwrittenRows?: () => Iterable<string>;
  /** Lines could not be written: what they say must be settled at once. */
  onLost: () => void;
  logger: Logger;
  compactAtBytes?: number;
}

/** What earlier runs left. */
export interface JournalRest {
  /** Leases to be settled and closed. */
  uses: LeaseUse[];
  /** Rows of charged answers that may be missing in the request log, in its text format. */
  rows: string[];
}

/**
 * What this gateway has charged and not yet closed, in a file, so that a killed process loses nothing:
 * `+ number lease account` when a lease is asked for, `= number total operation:total`, a tab and the answer's
 * row of the request log after an answer, `~ count` when the log has written that many rows more, `- number` when the
 * lease is closed. Total and row share a line, so that a kill never parts them. Lines are written at the end of the turn of the event loop that sent the answers; the
 * page cache survives the process, so no fsync. A last line cut short is ignored.
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
      uses: texts.flatMap((text) => readJournal(text)),
      rows: texts.flatMap((text) => readRows(text)),
    };
    if (left.uses.length + left.rows.length > 0) writeWhole(earlier, journalOf(left));
    rmSync(this.options.path, { force: true });
    this.file = openSync(this.options.path, 'a', 0o600);
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
    setImmediate(() => this.flush());
  }

  private flush(): void {
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
  }

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
      writeWhole(this.options.path, journalOf({ uses, rows }));
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

/**
 * The leases a journal leaves open, each with its highest total. Damaged lines are passed over: entitlement
 * would refuse the whole call they stand in, again and again.
 */
export function readJournal(text: string): LeaseUse[] {
  const open = new Map<string, LeaseUse>();
  const lines = text.split('\n').slice(0, -1);
  for (const line of lines) {
    const [kind, number, first, second, more] = line.split('\t', 1)[0].split(' ');
    const use = open.get(number);
    if (kind === '+' && isId(first) && isId(second) && more === undefined)
      open.set(number, { leaseId: first, accountId: second, consumed: 0 });
    else if (kind === '=' && use && TOTAL.test(first)) {
      use.consumed = Math.max(use.consumed, Number(first));
      noteOperation(use, second);
    } else if (kind === '-') open.delete(number);
  }
  return [...open.values()];
}

/** @param part `operation:total`; whatever else it is, is passed over. */
function noteOperation(use: LeaseUse, part = ''): void {
  const [, operation, total] = OPERATION_TOTAL.exec(part) ?? [];
  if (operation === undefined) return;
  const known = use.operations?.[operation] ?? 0;
  use.operations = { ...use.operations, [operation]: Math.max(known, Number(total)) };
}

/** The rows of a journal that the request log is not known to have written, in their order. */
export function readRows(text: string): string[] {
  const rows: string[] = [];
  let written = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    const tab = line.indexOf('\t');
    if (line.startsWith('=') && tab > 0) rows.push(line.slice(tab + 1));
    else if (line.startsWith('~ ') && TOTAL.test(line.slice(2))) written += Number(line.slice(2));
  }
  return rows.slice(written);
}

const readText = (path: string) => readFileSync(path, 'utf8');

interface NumberedRest extends JournalRest {
  uses: (LeaseUse & { number?: number })[];
}

function journalOf({ uses, rows }: NumberedRest): string {
  const leases = uses.map(({ leaseId, accountId, consumed, operations = {}, number }, place) => {
    const name = number ?? place;
    const parts = Object.entries(operations).map(([operation, total]) => ` ${operation}:${total}`);
    const totals = (parts.length > 0 ? parts : ['']).map((by) => `= ${name} ${consumed}${by}\n`);
    return `+ ${name} ${leaseId} ${accountId}\n${totals.join('')}`;
  });
  // Of no lease that is open: the total counts nowhere, the row does.
  return leases.join('') + rows.map((row) => `= - 0\t${row}\n`).join('');
}

/** Beside the old file, which stays whole when this cannot be written. */
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

/** @returns the bytes written. */
function writeAll(file: number, text: string): number {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
  return written;
}
