import type { UsedOnDay } from './usage-series.js';

/** What a spreadsheet would take for a formula (S74). */
const FORMULA = /^[=+\-@\t\r]/;

/** A table for spreadsheets (RFC 4180). @param heading of the column of names. */
export function usageCsv(heading: string, days: readonly UsedOnDay[]): string {
  const rows = days.map(({ date, name, requests, failed, credits }) => [
    date,
    name,
    String(requests),
    String(failed),
    String(credits),
  ]);
  const lines = [['day', heading, 'requests', 'failed', 'credits'], ...rows];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
