import { describe, expect, it } from '@jest/globals';
import { WHOIS_FILE_COLUMNS } from '#libs/contracts';
import { WhoisCsvReader } from './whois-csv.js';

/**
 * A row in the form of the service's files: each cell quoted, with an apostrophe before formulas that a spreadsheet
 * would run.
 */
const row = (name: string) =>
  WHOIS_FILE_COLUMNS.map((column) => {
    if (column === 'domain_name') return '"csv-a.com"';
    return column === 'registrant_name' ? `"${name.replaceAll('"', '""')}"` : '""';
  }).join();

function nameIn(line: string): unknown {
  const read = new WhoisCsvReader(new Date('2026-03-01T12:00:00Z')).read(line);
  if (typeof read !== 'object' || !('registration' in read)) return read;
  const contact = read.registration['registrant_contact'];
  return typeof contact === 'object' && 'name' in contact ? contact['name'] : undefined;
}

describe('a CSV file of registrations', () => {
  it.each(['=1+1', '+1', '-1', '@sum(a1)', '＝1', '＋1', '－1', '＠a'])(
    'S74: %s, written as text, is read back unchanged, and a text keeps its own apostrophe',
    (text) => {
      expect(nameIn(row(`'${text}`))).toBe(text);
      expect(nameIn(row(text))).toBe(text);
      expect(nameIn(row(`''${text}`))).toBe(`''${text}`);
      expect(nameIn(row("'t Hart"))).toBe("'t Hart");
    },
  );

  it.each([
    ['a comma', 'Ada, Inc.'],
    ['quotation marks', 'Ada "The Name" Inc.'],
    ['a quotation mark and a comma', 'Ada",=cmd'],
  ])('S74: a cell with %s stays one cell', (_what, text) => {
    expect(nameIn(row(text))).toBe(text);
  });

  it.each(['"csv-a.com","open', '"csv-a.com"x,""', 'csv-a.com'])(
    'S74: a row with too few or unterminated cells is bad: %s',
    (line) => {
      expect(nameIn(line)).toBe('bad');
    },
  );
});
