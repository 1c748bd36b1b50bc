/** Columns of a contact, with its members as named in the public answer. */
const CONTACT_COLUMNS = [
  ['name', 'name'],
  ['company', 'company'],
  ['address', 'street'],
  ['city', 'city'],
  ['state', 'state'],
  ['zip', 'zip_code'],
  ['country_code', 'country_code'],
  ['country', 'country_name'],
  ['email', 'email_address'],
  ['phone', 'phone'],
  ['fax', 'fax'],
] as const;
const CONTACTS = ['registrant', 'administrative', 'technical', 'billing'] as const;
const DATES = ['create_date', 'update_date', 'expiry_date'] as const;
const REGISTRAR_COLUMNS = [
  ['id', 'iana_id'],
  ['name', 'registrar_name'],
  ['whois', 'whois_server'],
  ['url', 'website_url'],
] as const;
const PLACES = [0, 1, 2, 3];

/** The 62 columns that are common in this market, without the row number, the name and its time. */
export const WHOIS_COLUMNS: readonly string[] = [
  ...DATES,
  ...REGISTRAR_COLUMNS.map(([column]) => `domain_registrar_${column}`),
  ...CONTACTS.flatMap((contact) => CONTACT_COLUMNS.map(([column]) => `${contact}_${column}`)),
  ...PLACES.map((place) => `name_server_${place + 1}`),
  ...PLACES.map((place) => `domain_status_${place + 1}`),
];

type Members = Readonly<Record<string, unknown>>;

/** The cells of `WHOIS_COLUMNS`. */
export function whoisCells(record: Members): unknown[] {
  const registrar = (record.domain_registrar ?? {}) as Members;
  const cells: unknown[] = DATES.map((date) => record[date]);
  for (const [, member] of REGISTRAR_COLUMNS) cells.push(registrar[member]);
  for (const contact of CONTACTS) {
    const members = (record[`${contact}_contact`] ?? {}) as Members;
    for (const [, member] of CONTACT_COLUMNS) cells.push(members[member]);
  }
  for (const list of ['name_servers', 'domain_status']) {
    const values = (record[list] ?? []) as unknown[];
    for (const place of PLACES) cells.push(values[place]);
  }
  return cells;
}
