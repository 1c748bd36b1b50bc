/** Several values of one cell stand behind one another. */
const BETWEEN = '|';
/** Beginnings that a spreadsheet would take for a formula, full-width ones as well. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * A value as a cell of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe, and quotes,
 * by which our own importer knows it (S74).
 */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value) ? value.join(BETWEEN) : String(value);
  const isFormula = FORMULA.test(text);
  if (!isFormula && !NEEDS_QUOTES.test(text)) return text;
  return `"${isFormula ? "'" : ''}${text.replaceAll('"', '""')}"`;
}
