import type { LeaseUse } from '#libs/contracts';
import { isId } from '#libs/platform';
import { LogLines, readLine } from '../request-log/log-line.js';

const TOTAL = /^[0-9]{1,12}$/;
const OPERATION_TOTAL = /^([a-z][a-z0-9_.-]{0,59}):([0-9]{1,12})$/;
const HOLD_NUMBER = /^h[0-9]{1,12}$/;
const HOLD_ID = /^[!-~]{1,200}$/;

export interface HoldUse {
  holdId: string;
  accountId: string;
  charged: number;
  /** The credits of each part that may have been reported to entitlement, starting with part 1. */
  parts: number[];
  /** The row that the request log gets for the interrupted request; undefined once the request has its own row. */
  row?: string;
  number?: number;
}

export interface JournalRest {
  uses: LeaseUse[];
  holds: HoldUse[];
  /** The rows of charged answers that may be missing from the request log, in the log's text format. */
  rows: string[];
  writerIds: string[];
}

/**
 * Lists the leases that a journal leaves open, each with its highest total. Damaged lines are skipped, because
 * entitlement would reject a whole call for one invalid lease.
 */
export function readLeases(text: string): LeaseUse[] {
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

/** @param part `operation:total`; any other format is skipped. */
function noteOperation(use: LeaseUse, part = ''): void {
  const [, operation, total] = OPERATION_TOTAL.exec(part) ?? [];
  if (operation === undefined) return;
  const known = use.operations?.[operation] ?? 0;
  use.operations = { ...use.operations, [operation]: Math.max(known, Number(total)) };
}

/** Lists in order the rows that the request log may not have written, according to a journal. */
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

/** Lists the ids of the processes that wrote the request log, according to a journal. */
export function readWriters(text: string): string[] {
  const lines = text.split('\n').slice(0, -1);
  const ids = lines.filter((line) => line.startsWith('@ ')).map((line) => line.slice(2));
  return ids.filter(isId);
}

/** Lists the holds that a journal leaves open, each with its charged and its reported credits. */
export function readHolds(text: string): HoldUse[] {
  const open = new Map<string, HoldUse>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [entry, ...columns] = line.split('\t');
    const [kind, number, first, second] = entry.split(' ');
    if (!HOLD_NUMBER.test(number)) continue;
    const use = open.get(number);
    const row = columns.length > 0 ? columns.join('\t') : undefined;
    if (kind === '*' && HOLD_ID.test(first) && isId(second)) {
      open.set(number, { holdId: first, accountId: second, charged: 0, parts: [], row });
    } else if (kind === '-') open.delete(number);
    else if (!use || !TOTAL.test(first)) continue;
    else if (kind === '#') use.parts.push(Number(first));
    else if (kind === '=') {
      use.charged = Math.max(use.charged, Number(first));
      if (row !== undefined) use.row = undefined;
    }
  }
  return [...open.values()];
}

/**
 * Returns, as a list, the row of a request whose gateway was killed; it states the credits for the part that was sent.
 * The list is empty if nothing was sent, or if the request has its own row.
 */
export function rowOfBroken({ row, charged: credits }: HoldUse): string[] {
  const entry = row === undefined || credits === 0 ? undefined : readLine(row);
  return entry === undefined ? [] : [new LogLines().of({ ...entry, credits }).trimEnd()];
}

interface NumberedRest extends JournalRest {
  uses: (LeaseUse & { number?: number })[];
}

/** Returns a journal with the same meaning but without the lines that are no longer needed. */
export function journalOf({ uses, holds, rows, writerIds }: NumberedRest): string {
  const leases = uses.map(({ leaseId, accountId, consumed, operations = {}, number }, place) => {
    const name = number ?? place;
    const parts = Object.entries(operations).map(([operation, total]) => ` ${operation}:${total}`);
    const totals = (parts.length > 0 ? parts : ['']).map((by) => `= ${name} ${consumed}${by}\n`);
    return `+ ${name} ${leaseId} ${accountId}\n${totals.join('')}`;
  });
  const held = holds.map(({ holdId, accountId, charged, parts, row, number }, place) => {
    const name = `h${number ?? place}`;
    const told = parts.map((credits) => `# ${name} ${credits}\n`).join('');
    const owed = row === undefined ? '' : `\t${row}`;
    return `* ${name} ${holdId} ${accountId}${owed}\n${told}= ${name} ${charged}\n`;
  });
  // The totals of open leases are already in the lines above, so these rows need no totals.
  const writers = writerIds.map((id) => `@ ${id}\n`).join('');
  const owed = rows.map((row) => `= - 0\t${row}\n`).join('');
  return writers + leases.join('') + held.join('') + owed;
}
