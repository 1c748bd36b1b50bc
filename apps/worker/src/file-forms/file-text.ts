import { type Dataset, type DatasetRow, WHOIS_FILE_COLUMNS } from '#libs/contracts';
import { csvCell } from '#libs/platform';
import { whoisCells } from './whois-cells.js';

/** The version of the format, which rises when columns or members change their meaning. */
export const SCHEMA_VERSION = 1;

const DNS_COLUMNS = ['a', 'aaaa', 'ns', 'mx', 'txt', 'soa', 'spf'] as const;
const SPF = /^"?v=spf1(?:[ "]|$)/i;

export type FileRow = Omit<DatasetRow, 'sourceId'>;

export interface RowText {
  csv: string;
  json: string;
}

interface Form {
  columns: readonly string[];
  /** @param number the row's number in the file, starting with 1. */
  cells(row: FileRow, number: number): unknown[];
  members(row: FileRow): object;
}

interface WrittenRow {
  domain_name: string;
  domain_unicode: string;
  query_time?: string;
  dns_records?: { type: string; value: string; first_seen: string }[];
}

const NAMES: Form = {
  columns: ['domain_name'],
  cells: ({ name }) => [name],
  members: ({ name, unicode }) => ({ domain_name: name, domain_unicode: unicode }),
};

const WHOIS: Form = {
  columns: WHOIS_FILE_COLUMNS,
  cells: (row, number) => [number, row.name, timeOf(row), ...whoisCells(row.record ?? {})],
  members: (row) => ({ ...NAMES.members(row), query_time: timeOf(row), ...row.record }),
};

const DNS: Form = {
  columns: ['domain_name', 'query_time', ...DNS_COLUMNS],
  cells: (row) => {
    const values = valuesOf(row);
    return [row.name, timeOf(row), ...DNS_COLUMNS.map((type) => values.get(type))];
  },
  members: (row) => ({
    ...NAMES.members(row),
    query_time: timeOf(row),
    dns_records: (row.records ?? []).map(({ type, value, firstSeen }) => ({
      type,
      value,
      first_seen: firstSeen,
    })),
  }),
};

export class FileText {
  private readonly form: Form;
  readonly header: string;

  constructor(dataset: Dataset) {
    this.form = formOf(dataset);
    this.header = `${this.form.columns.join(',')}\r\n`;
  }

  get columns(): readonly string[] {
    return this.form.columns;
  }

  row(row: FileRow, number: number): RowText {
    const csv = `${this.form.cells(row, number).map(csvCell).join(',')}\r\n`;
    return { csv, json: `${JSON.stringify(this.form.members(row))}\n` };
  }

  /** Parses a line of the JSON file, in which times have whole seconds. */
  read(line: string): Omit<FileRow, 'key'> {
    const {
      domain_name: name,
      domain_unicode: unicode,
      query_time: observedAt = '',
      dns_records: dns,
      ...record
    } = JSON.parse(line) as WrittenRow;
    const row = { name, unicode, observedAt };
    if (this.form === WHOIS) return { ...row, record };
    const records = dns?.map(({ first_seen: firstSeen, ...one }) => ({ ...one, firstSeen }));
    return { ...row, records };
  }
}

function formOf(dataset: Dataset): Form {
  if (dataset.includes('whois')) return WHOIS;
  return dataset.endsWith('dns') ? DNS : NAMES;
}

/** Returns a time in the format of all columns, in UTC: `2026-11-20 10:11:12`. */
const timeOf = ({ observedAt }: FileRow) => observedAt.slice(0, 19).replace('T', ' ');

/** Returns the values of a row's DNS records by column. An SPF record is in both `txt` and `spf`. */
function valuesOf({ records = [] }: FileRow): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const add = (column: string, value: string) =>
    values.set(column, [...(values.get(column) ?? []), value]);
  for (const { type, value } of records) {
    add(type.toLowerCase(), value);
    if (type === 'TXT' && SPF.test(value)) add('spf', value);
  }
  return values;
}
