/** Prefixes that a spreadsheet would interpret as a formula, including full-width ones (S74). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** A table for spreadsheets (RFC 4180). */
export function csvOf(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return [headings, ...rows].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number): string {
  // A negative number is not a formula.
  if (typeof value === 'number') return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
