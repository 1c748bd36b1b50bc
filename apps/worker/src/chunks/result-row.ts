import type { JobFormat, JobKind } from '#libs/contracts';
import { csvCell } from '#libs/platform';

export interface ResultRow {
  line: number;
  name: string;
  /** `unanswered` if the job ended before the lookup; `rejected` and `repeated` for lines that are not looked up. */
  outcome: string;
  isCharged: boolean;
  /** When the answer was retrieved, in RFC 3339. */
  observedAt?: string;
  body?: Record<string, unknown>;
  problem?: { code: string; detail: string };
}

type Contact = Record<string, unknown>;

const COLUMNS_OF_ALL = [
  'line',
  'domain_name',
  'outcome',
  'credits',
  'error',
  'observed_at',
  'error_detail',
];
const CONTACTS = ['registrant', 'administrative', 'technical'] as const;
const CONTACT_MEMBERS = [
  'name',
  'company',
  'street',
  'city',
  'state',
  'zip_code',
  'country_code',
  'email_address',
  'phone',
] as const;
const WHOIS_COLUMNS = [
  'domain_registered',
  'create_date',
  'update_date',
  'expiry_date',
  'registrar_iana_id',
  'registrar_name',
  'whois_server',
  'name_servers',
  'domain_status',
  ...CONTACTS.flatMap((contact) => CONTACT_MEMBERS.map((member) => `${contact}_${member}`)),
];
const DNS_COLUMNS = ['a', 'aaaa', 'ns', 'mx', 'txt', 'soa', 'spf', 'cname', 'caa'];

/**
 * The empty cells of a row without an answer. They are built once, because a job may have millions
 * of such rows.
 */
const NO_CELLS: Readonly<Record<JobKind, string>> = {
  whois: ','.repeat(WHOIS_COLUMNS.length - 1),
  dns: ','.repeat(DNS_COLUMNS.length - 1),
};

/**
 * Returns the header with its line ending; an empty string for JSON, where each row names its
 * members.
 */
export function headerOf(kind: JobKind, format: JobFormat): string {
  if (format === 'json.gz') return '';
  const columns = kind === 'whois' ? WHOIS_COLUMNS : DNS_COLUMNS;
  return `${[...COLUMNS_OF_ALL, ...columns].join(',')}\r\n`;
}

/** Returns a row as it is written to the file, with its line ending. */
export function writeRow(kind: JobKind, format: JobFormat, row: ResultRow): string {
  if (format === 'json.gz') return `${JSON.stringify(memberOf(row))}\n`;
  const { line, name, outcome, isCharged, observedAt, problem, body } = row;
  const { code, detail } = problem ?? {};
  const first = [line, name, outcome, isCharged ? 1 : 0, code, observedAt, detail];
  return `${textOf(first)},${body ? textOf(cellsOf(kind, body)) : NO_CELLS[kind]}\r\n`;
}

const textOf = (cells: readonly unknown[]) => cells.map(csvCell).join(',');

const cellsOf = (kind: JobKind, body: Record<string, unknown>) =>
  kind === 'whois' ? whoisCells(body) : dnsCells(body);

function memberOf({ line, name, isCharged, observedAt, body, ...rest }: ResultRow): object {
  const { outcome, problem } = rest;
  return {
    line,
    domain_name: name,
    outcome,
    credits: isCharged ? 1 : 0,
    ...(observedAt !== undefined && { observed_at: observedAt }),
    ...(problem && { problem }),
    answer: body,
  };
}

function whoisCells(body: Record<string, unknown>): unknown[] {
  const registrar = (body.domain_registrar ?? {}) as Record<string, unknown>;
  return [
    body.domain_registered,
    body.create_date,
    body.update_date,
    body.expiry_date,
    registrar.iana_id,
    registrar.registrar_name,
    body.whois_server,
    body.name_servers,
    body.domain_status,
    ...CONTACTS.flatMap((contact) => {
      const published = (body[`${contact}_contact`] ?? {}) as Contact;
      return CONTACT_MEMBERS.map((member) => published[member]);
    }),
  ];
}

function dnsCells(body: Record<string, unknown>): unknown[] {
  const records = (body.dns_records ?? []) as { type: string; raw_text: string }[];
  return DNS_COLUMNS.map((column) =>
    records.filter(({ type }) => type.toLowerCase() === column).map(({ raw_text }) => raw_text),
  );
}
