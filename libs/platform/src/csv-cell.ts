/** Separates several values in one cell. */
const BETWEEN = '|';
/** Prefixes that a spreadsheet would interpret as a formula, including full-width characters. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * Returns a value as a CSV cell (RFC 4180): empty for null and undefined, the items of an array separated by `|`. A
 * text that a spreadsheet would interpret as a formula gets an apostrophe, and quotes that let our own importer
 * recognise the apostrophe (S74).
 */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value) ? value.join(BETWEEN) : String(value);
  const isFormula = FORMULA.test(text);
  if (!isFormula && !NEEDS_QUOTES.test(text)) return text;
  return `"${isFormula ? "'" : ''}${text.replaceAll('"', '""')}"`;
}
