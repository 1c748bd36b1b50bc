/** The contacts of a WHOIS file, in the order of their columns. */
export const FILE_CONTACTS = ['registrant', 'administrative', 'technical', 'billing'] as const;
/** The columns of a contact, with the names of the members in the public answer. */
export const FILE_CONTACT_COLUMNS = [
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
/** The columns of the registrar, with the names of the members in the public answer. */
export const FILE_REGISTRAR_COLUMNS = [
  ['id', 'iana_id'],
  ['name', 'registrar_name'],
  ['whois', 'whois_server'],
  ['url', 'website_url'],
] as const;
export const FILE_DATES = ['create_date', 'update_date', 'expiry_date'] as const;
/** The numbers of the name server columns; there are as many status columns. */
export const FILE_PLACES = [1, 2, 3, 4] as const;

/**
 * The 62 columns, in order, that WHOIS files commonly have in this market. Files that we sell have these columns, and
 * an imported file without a header is assumed to have them.
 */
export const WHOIS_FILE_COLUMNS: readonly string[] = [
  'num',
  'domain_name',
  'query_time',
  ...FILE_DATES,
  ...FILE_REGISTRAR_COLUMNS.map(([column]) => `domain_registrar_${column}`),
  ...FILE_CONTACTS.flatMap((contact) =>
    FILE_CONTACT_COLUMNS.map(([column]) => `${contact}_${column}`),
  ),
  ...FILE_PLACES.map((place) => `name_server_${place}`),
  ...FILE_PLACES.map((place) => `domain_status_${place}`),
];
