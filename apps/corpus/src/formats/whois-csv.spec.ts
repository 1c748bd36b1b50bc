import { describe, expect, it } from '@jest/globals';
import { WHOIS_FILE_COLUMNS } from '#libs/contracts';
import { WhoisCsvReader } from './whois-csv.js';

/**
 * Returns a row as in the service's own files: each cell is quoted, and an apostrophe precedes text that a spreadsheet
 * would run as a formula.
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
    'S74: %s is read back unchanged after being written as text, and a text keeps its own apostrophe',
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

  const read = (values: Record<string, string>) =>
    new WhoisCsvReader(new Date('2026-03-01T12:00:00Z')).read(
      WHOIS_FILE_COLUMNS.map((column) => values[column] ?? '').join(),
    );

  it.each([
    ['2024-03-05 10:11:12', '2024-03-05T10:11:12.000Z'],
    ['2024-03-05', '2024-03-05T00:00:00.000Z'],
    ['2024-03-05T10:11:12+05:30', '2024-03-05T04:41:12.000Z'],
    ['2024-03-05 10:11:12 UTC', '2024-03-05T10:11:12.000Z'],
    ['', '2026-03-01T12:00:00.000Z'],
  ])('the time of a query %j is %s', (query_time, at) => {
    expect(read({ domain_name: 'csv-a.com', query_time })).toMatchObject({ at: new Date(at) });
  });

  it.each(['03/04/2024', '2024-02-30', 'yesterday', 'March 2024', '1709633472 x'])(
    'a row with an ambiguous time is bad: %s',
    (query_time) => {
      expect(read({ domain_name: 'csv-a.com', query_time })).toBe('bad');
    },
  );

  it('dates in any format become days in the format of answers, and an ambiguous date is left out', () => {
    const dates = {
      create_date: '05-Mar-2014 10:00:00',
      update_date: '2024-03-05 10:11:12',
      expiry_date: '03/04/2027',
    };
    expect(read({ domain_name: 'csv-a.com', ...dates })).toMatchObject({
      registration: { create_date: '2014-03-05', update_date: '2024-03-05' },
    });
    expect(read({ domain_name: 'csv-a.com', ...dates })).not.toHaveProperty(
      'registration.expiry_date',
    );
  });
});
