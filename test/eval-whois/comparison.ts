import type { Contact, ContactRole, DateValue, RegistrationRecord } from '#libs/resolvers';

/** A recorded answer with its asserted values. Members without an assertion are absent. */
export interface RecordedRow {
  id: string;
  server: string | null;
  tld: string | null;
  text: string;
  expected: ExpectedRecord;
}

export interface ExpectedRecord {
  status?: 'registered' | 'not_registered' | 'restricted' | 'throttled' | 'parse_failed';
  domain?: string;
  created?: string;
  updated?: string;
  expires?: string;
  nameServers?: string[];
  registrar?: Record<string, string | null>;
  contacts?: Record<string, Record<string, string | null>>;
  statusCodes?: string[];
}

export interface Finding {
  field: string;
  isRight: boolean;
  expected: string;
  actual: string;
}

export interface Count {
  right: number;
  total: number;
}

const ROLES: Readonly<Record<string, ContactRole>> = {
  registrant: 'registrant',
  admin: 'administrative',
  technical: 'technical',
  billing: 'billing',
};

const CONTACT_MEMBERS: Readonly<Record<string, (contact: Contact) => string | undefined>> = {
  id: (it) => it.handle,
  name: (it) => it.name,
  organization: (it) => it.organization,
  nameOrOrganization: (it) => it.organization ?? it.name,
  address: (it) => it.street,
  city: (it) => it.city,
  state: (it) => it.state,
  zip: (it) => it.postalCode,
  country: (it) => it.countryName,
  country_code: (it) => it.countryCode,
  phone: (it) => it.phone,
  fax: (it) => it.fax,
  email: (it) => it.email,
};

/** Other members that may contain a correct value, because recordings do not distinguish these members strictly. */
const OTHER_MEMBERS: Readonly<Record<string, (contact: Contact) => string[]>> = {
  nameOrOrganization: (it) => [it.name ?? ''],
  country: (it) => [it.countryCode ?? ''],
  country_code: (it) => [it.countryName ?? ''],
};

/** Placeholders that an expectation may contain where the parser reports a redaction. */
const WITHHELD_STARTS = [
  'ano nymous',
  'not provided',
  'not available',
  'redacted',
  'not disclosed',
  'data protected',
  'hidden',
  'visit ',
  'not shown',
];

/** Compares a record with asserted values: dates by day, lists as sets, and text with some tolerance. */
export function compareRecord(expected: ExpectedRecord, record: RegistrationRecord): Finding[] {
  const findings: Finding[] = [];
  for (const field of ['created', 'updated', 'expires'] as const) {
    const wanted = expected[field];
    if (wanted !== undefined) findings.push(dateFinding(field, wanted, record[field]));
  }
  if (expected.nameServers !== undefined) {
    findings.push(setFinding('nameServers', expected.nameServers, record.nameServers));
  }
  if (expected.statusCodes !== undefined) {
    findings.push(setFinding('statusCodes', expected.statusCodes, record.statuses));
  }
  findings.push(...registrarFindings(expected, record), ...contactFindings(expected, record));
  return findings;
}

function dateFinding(field: string, expected: string, actual: DateValue | undefined): Finding {
  const days = [utcDay(expected), expected.slice(0, 10).replaceAll('/', '-')];
  const got = actual?.iso.slice(0, 10) ?? '';
  return { field, isRight: days.includes(got), expected: days[0], actual: got };
}

/** Returns the day in UTC if a time has an offset, and otherwise the day as it is written. */
function utcDay(text: string): string {
  const hasOffset = /[+-]\d{2}:?\d{0,2}$/.test(text) && text.includes(':');
  if (!hasOffset) return text.slice(0, 10).replaceAll('/', '-');
  const instant = Date.parse(
    text
      .replace(' +', '+')
      .replace(' -', '-')
      .replace(/([+-]\d{2})$/, '$1:00'),
  );
  if (Number.isNaN(instant)) return text.slice(0, 10);
  return new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC' }).format(instant);
}

function setFinding(field: string, expected: string[], actual: readonly string[]): Finding {
  const [wanted, got] = [expected, actual].map((it) =>
    [...new Set(it.map((item) => item.toLowerCase().replaceAll(' ', '').replace(/\.$/, '')))]
      .sort()
      .join(' '),
  );
  return { field, isRight: wanted === got, expected: wanted, actual: got };
}

function registrarFindings(expected: ExpectedRecord, record: RegistrationRecord): Finding[] {
  const findings: Finding[] = [];
  const members = { id: 'ianaId', name: 'name', organization: 'organization', url: 'url' } as const;
  for (const [name, member] of Object.entries(members)) {
    const wanted = expected.registrar?.[name];
    if (typeof wanted !== 'string' || wanted.trim() === '') continue;
    const { registrar } = record;
    const got =
      registrar?.[member as 'name'] ?? (name === 'organization' ? registrar?.name : '') ?? '';
    if (name === 'name') findings.push(nameFinding(wanted, got));
    else findings.push(textFinding(`registrar.${name}`, wanted, got));
  }
  return findings;
}

/** Compares registrars' names without a code or address in brackets at the end, because it is not part of the name. */
function nameFinding(expected: string, actual: string): Finding {
  const [wanted, got] = [expected, actual].map((it) =>
    loose(it.replace(/ ?[([][^)\]]*[)\]]$/, '')),
  );
  return { field: 'registrar', isRight: wanted === got, expected, actual };
}

function contactFindings(expected: ExpectedRecord, record: RegistrationRecord): Finding[] {
  const findings: Finding[] = [];
  for (const [roleName, members] of Object.entries(expected.contacts ?? {})) {
    const contact = record.contacts[ROLES[roleName]] ?? {};
    for (const [name, wanted] of Object.entries(members)) {
      const member = CONTACT_MEMBERS[name];
      if (member === undefined || typeof wanted !== 'string' || isNothing(wanted)) continue;
      const finding = textFinding(`contact.${name}`, wanted, member(contact) ?? '');
      finding.isRight ||=
        OTHER_MEMBERS[name]?.(contact).some((it) => loose(it) === loose(wanted)) ?? false;
      findings.push({ ...finding, expected: `${roleName}: ${wanted}` });
    }
  }
  return findings;
}

function isNothing(wanted: string): boolean {
  const lower = wanted.trim().toLowerCase();
  if (['', '-', '--', 'na', 'n/a', 'none', 'null'].includes(lower)) return true;
  return WITHHELD_STARTS.some((start) => lower.startsWith(start));
}

function textFinding(field: string, expected: string, actual: string): Finding {
  return { field, isRight: loose(expected) === loose(actual), expected, actual };
}

/** Removes differences in case, white space and separators between address lines. */
function loose(text: string): string {
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .join(' ');
}

/** Counts findings by field. A contact's field counts for itself and for all `contacts`. */
export function countsOf(judged: readonly Finding[]): Record<string, Count> {
  const counts: Record<string, Count> = {};
  for (const { field, isRight } of judged) {
    for (const group of field.startsWith('contact.') ? ['contacts', field] : [field]) {
      const { right, total } = counts[group] ?? { right: 0, total: 0 };
      counts[group] = { right: right + Number(isRight), total: total + 1 };
    }
  }
  return counts;
}

/** Returns the share of correct answers among asserted values; 1 if nothing is asserted. */
export function shareOf({ right, total }: Count = { right: 1, total: 1 }): number {
  return right / total;
}
