const RECORD_PATHS: Record<string, string> = {
  domain: 'domain_name',
  handle: 'domain_handle',
  created: 'create_date',
  updated: 'update_date',
  expires: 'expiry_date',
  nameServers: 'name_servers',
  statuses: 'domain_status',
  dnssec: 'secure_dns',
  registrar: 'domain_registrar',
  restriction: 'restriction',
  privacyService: 'privacy_service',
};

const REGISTRAR_MEMBERS: Record<string, string> = {
  ianaId: 'iana_id',
  name: 'registrar_name',
  organization: 'registrar_name',
  url: 'website_url',
  email: 'email_address',
  phone: 'phone_number',
  whoisServer: 'whois_server',
  rdapServer: 'rdap_server',
};

const CONTACT_MEMBERS: Record<string, string> = {
  organization: 'company',
  postalCode: 'zip_code',
  countryCode: 'country_code',
  countryName: 'country_name',
  email: 'email_address',
};

/**
 * Translates the path of a record, such as `contacts.registrant.name`, into the public path: `registrant_contact.name`.
 */
export function publicPath(recordPath: string): string {
  const [first = '', second, third] = recordPath.split('.');
  if (first === 'contacts' && second !== undefined) {
    const contact = `${second}_contact`;
    // A reseller is shown with one name, that of a person or of an organisation.
    if (second === 'reseller' && third === 'organization') return `${contact}.name`;
    return third === undefined ? contact : `${contact}.${named(CONTACT_MEMBERS, third)}`;
  }
  const head = named(RECORD_PATHS, first);
  if (second === undefined || first === 'dnssec') return head;
  return `${head}.${first === 'registrar' ? named(REGISTRAR_MEMBERS, second) : second}`;
}

function named(names: Record<string, string>, member: string): string {
  return Object.hasOwn(names, member) ? names[member]! : member;
}
