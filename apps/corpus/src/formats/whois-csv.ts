import {
  FILE_CONTACTS,
  FILE_CONTACT_COLUMNS,
  FILE_DATES,
  FILE_PLACES,
  FILE_REGISTRAR_COLUMNS,
  WHOIS_FILE_COLUMNS,
} from '#libs/contracts';
import { parseDate } from '#libs/resolvers';
import type { Observation } from '../records/observation.js';
import { observationOf } from '../observations/observation-lines.js';
import type { ReadLine } from './read-line.js';

/** The format of a header cell. A data row never matches, because its name contains a dot. */
const COLUMN = /^\w*$/;

type Cell = (column: string) => string | undefined;

/**
 * Reads registrations from a CSV file (RFC 4180, one record per line). A header in the first line may name the columns
 * in another order. No later row changes the columns; repetitions of the header are skipped.
 */
export class WhoisCsvReader {
  private columns = WHOIS_FILE_COLUMNS;
  private hasBegun = false;

  /** @param at when the file was created; used for rows that do not say when the registry was queried. */
  constructor(private readonly at: Date) {}

  read(line: string): ReadLine<Observation> {
    if (line === '') return 'nothing';
    const cells = cellsOf(line);
    if (!cells) return 'bad';
    const isFirst = !this.hasBegun;
    this.hasBegun = true;
    if (isFirst && cells.includes('domain_name') && cells.every((cell) => COLUMN.test(cell))) {
      // If two columns have the same name, no row is accepted, because it is unknown which column counts.
      this.columns = new Set(cells).size === cells.length ? cells : [];
      return this.columns === cells ? 'nothing' : 'bad';
    }
    // Concatenated files repeat the header.
    if (cells.join() === this.columns.join()) return 'nothing';
    if (cells.length !== this.columns.length) return 'bad';
    const known = new Map(this.columns.map((column, place) => [column, cells[place].trim()]));
    const cell: Cell = (column) => known.get(column) || undefined;
    const record = recordOf(cell);
    const at = cell('query_time') ?? this.at.toISOString();
    return observationOf({ kind: 'whois', name: cell('domain_name'), at, record }) ?? 'bad';
  }
}

function recordOf(cell: Cell): Record<string, unknown> {
  const membersOf = (subject: string, columns: readonly (readonly [string, string])[]) =>
    Object.fromEntries(columns.map(([column, member]) => [member, cell(`${subject}_${column}`)]));
  const contacts = FILE_CONTACTS.map((contact) => [
    `${contact}_contact`,
    membersOf(contact, FILE_CONTACT_COLUMNS),
  ]);
  const each = (column: string) => FILE_PLACES.map((place) => cell(`${column}_${place}`));
  return {
    ...Object.fromEntries(FILE_DATES.map((date) => [date, dateOf(cell(date))])),
    domain_registrar: membersOf('domain_registrar', FILE_REGISTRAR_COLUMNS),
    ...Object.fromEntries(contacts),
    name_servers: each('name_server'),
    domain_status: each('domain_status'),
  };
}

/**
 * Returns the day in a text, in the format of answers; undefined for an invalid day, such as `0000-00-00`, or an
 * ambiguous one.
 */
const dateOf = (text: string | undefined) => parseDate(text ?? '', {})?.iso.slice(0, 10);

/** Splits a record into cells; undefined if a quote is not closed, or is followed by anything but a comma. */
function cellsOf(line: string): string[] | undefined {
  const cells: string[] = [];
  for (let begin = 0; ;) {
    if (line[begin] !== '"') {
      const comma = line.indexOf(',', begin);
      cells.push(line.slice(begin, comma < 0 ? undefined : comma));
      if (comma < 0) return cells;
      begin = comma + 1;
      continue;
    }
    let end = line.indexOf('"', begin + 1);
    while (end >= 0 && line[end + 1] === '"') end = line.indexOf('"', end + 2);
    if (end < 0) return undefined;
    // Files exported by this product have an apostrophe before values that a spreadsheet would run as a formula.
    cells.push(
      line
        .slice(begin + 1, end)
        .replaceAll('""', '"')
        .replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, ''),
    );
    if (end + 1 === line.length) return cells;
    if (line[end + 1] !== ',') return undefined;
    begin = end + 2;
  }
}
