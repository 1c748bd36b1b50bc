import { csvCell } from '#libs/platform';

/** Formats a table for spreadsheets (RFC 4180). */
export function csvOf(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return [headings, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}
