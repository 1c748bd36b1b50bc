import { SECOND_MS, isId } from '#libs/platform';

/** A request of a known account. It never contains a key; `subject` is the requested name, address or number. */
export interface LogEntry {
  /** The time at which the entry was made, in milliseconds since 1970. */
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

export const SUBJECT_MAX = 255;
/** The index of the credits among a line's fields. */
const CREDITS_PLACE = 9;
/** Characters with a special meaning in COPY's text format. */
// oxlint-disable-next-line eslint/no-control-regex -- control characters must be escaped
const SPECIAL = /[\\\u0000-\u001f]/;
// oxlint-disable-next-line eslint/no-control-regex -- control characters must be escaped
const SPECIALS = /[\\\u0000-\u001f]/g;
// The formats of a line's fields, except ids. A line has eleven fields.
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const WORD = /^[!-~]{1,100}$/;
const NUMBER = /^\d{1,9}$/;

export const COPY_LINES_SQL = `copy request_log
  (at, request_id, account_id, key_id, operation, version, subject, status, outcome, credits, duration_ms)
  from stdin`;

export class LogLines {
  private lastSecond = -1;
  private lastSecondText = '';

  /** Returns the line of an entry, with its line ending. */
  of(entry: LogEntry): string {
    return `${this.timeOf(entry.atMs)}\t${entry.requestId}\t${entry.accountId}\t${entry.keyId}\t${entry.operation}\t${entry.version}\t${escaped(entry.subject.slice(0, SUBJECT_MAX))}\t${entry.status}\t${escaped(entry.outcome)}\t${entry.credits}\t${entry.durationMs}\n`;
  }

  /** Returns a time in RFC 3339. The text for each second is formatted once and reused. */
  private timeOf(atMs: number): string {
    const second = Math.floor(atMs / SECOND_MS);
    if (second !== this.lastSecond) {
      this.lastSecond = second;
      this.lastSecondText = isoSecond(second);
    }
    return `${this.lastSecondText}.${String(atMs - second * SECOND_MS).padStart(3, '0')}Z`;
  }
}

/**
 * Parses a line from the lease journal, which may be damaged.
 * @returns undefined for text that is not a line of the log.
 */
export function readLine(line: string): LogEntry | undefined {
  const fields = line.split('\t');
  const [at, requestId, accountId, keyId, operation, version, subject, ...rest] = fields;
  const [status, outcome, credits, durationMs] = rest;
  const isLine =
    fields.length === 11 &&
    TIME.test(at) &&
    !Number.isNaN(Date.parse(at)) &&
    [accountId, keyId].every(isId) &&
    [requestId, operation, outcome].every((word) => WORD.test(word)) &&
    [version, status].every((number) => NUMBER.test(number) && Number(number) < 32_768) &&
    [credits, durationMs].every((number) => NUMBER.test(number)) &&
    !SPECIAL.test(unescaped(subject).replaceAll('\\', ''));
  if (!isLine) return undefined;
  return {
    atMs: Date.parse(at),
    requestId,
    accountId,
    keyId,
    operation,
    version: Number(version),
    subject: unescaped(subject),
    status: Number(status),
    outcome,
    credits: Number(credits),
    durationMs: Number(durationMs),
  };
}

export function isCharged(line: string): boolean {
  return line.split('\t')[CREDITS_PLACE] !== '0';
}

function isoSecond(second: number): string {
  return new Date(second * SECOND_MS).toISOString().slice(0, 19);
}

function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(SPECIALS, (unit) => (unit === '\\' ? '\\\\' : ' '));
}

const unescaped = (text: string) => text.replaceAll('\\\\', '\\');
