const CONTACT = {
  handle: 'SIM1001',
  name: 'Alex Sample',
  company: 'Example Holdings',
  street: '1 Example Street',
  city: 'Springfield',
  state: 'CA',
  zip_code: '90001',
  country_name: 'United States',
  country_code: 'US',
  email_address: 'alex.sample@example.com',
  phone: '+1.5550100123',
  mailing_address: '1 Example Street, Springfield, CA, 90001, United States',
};

const CONTACT_MEMBERS =
  'handle name company street city state zip_code country_code country_name email_address phone'.split(
    ' ',
  );

/** Returns the source of each member of a contact: the registrar's answer. */
const sourcesOf = (contact: string) =>
  Object.fromEntries(CONTACT_MEMBERS.map((member) => [`${contact}.${member}`, 's2']));

/** The answer about the fixture `registered.test`. Lookup owns the fixture, and one of its tests compares the two. */
export const WHOIS_EXAMPLE = {
  status: true,
  domain_name: 'registered.test',
  domain_unicode: 'registered.test',
  query_time: '2026-11-20 11:42:03',
  whois_server: 'https://rdap.registry.test/',
  domain_registered: 'yes',
  create_date: '2001-05-09',
  update_date: '2025-05-10',
  expiry_date: '2031-05-09',
  secure_dns: true,
  domain_handle: '1000001_DOMAIN_TEST-SIM',
  dates: {
    created: '2001-05-09T09:30:00Z',
    updated: '2025-05-10T11:00:00Z',
    expires: '2031-05-09T09:30:00Z',
    expires_published: true,
  },
  domain_registrar: {
    iana_id: '9901',
    registrar_name: 'Example Registrar One, Inc.',
    website_url: 'https://www.registrar-one.example',
    rdap_server: 'https://rdap.registrar-one.example/',
  },
  registrant_contact: CONTACT,
  administrative_contact: CONTACT,
  technical_contact: CONTACT,
  abuse_contact: {
    name: 'Abuse desk',
    email_address: 'abuse@registrar-one.example',
    phone: '+1.5550100100',
  },
  name_servers: ['ns1.dns-one.example', 'ns2.dns-one.example'],
  domain_status: ['clienttransferprohibited', 'clientdeleteprohibited'],
  registry_data: {
    domain_name: 'registered.test',
    query_time: '2026-11-20 11:42:03',
    whois_server: 'https://rdap.registry.test/',
    domain_registered: 'yes',
    create_date: '2001-05-09',
    update_date: '2025-05-10',
    expiry_date: '2031-05-09',
    domain_registrar: {
      iana_id: '9901',
      registrar_name: 'Example Registrar One, Inc.',
      website_url: 'https://www.registrar-one.example',
    },
    name_servers: ['ns1.dns-one.example', 'ns2.dns-one.example'],
    domain_status: ['clienttransferprohibited', 'clientdeleteprohibited'],
  },
  provenance: {
    served_from: 'live',
    fetched_at: '2026-11-20T11:42:03.000Z',
    age_s: 0,
    sources: [
      {
        id: 's1',
        protocol: 'rdap',
        role: 'registry',
        server: 'https://rdap.registry.test/',
        outcome: 'delivered',
        http_status: 200,
        latency_ms: 42,
        fetched_at: '2026-11-20T11:42:03.000Z',
      },
      {
        id: 's2',
        protocol: 'rdap',
        role: 'registrar',
        server: 'https://rdap.registrar.test/',
        outcome: 'delivered',
        http_status: 200,
        latency_ms: 97,
        fetched_at: '2026-11-20T11:42:03.000Z',
      },
    ],
    fields: {
      domain_name: 's1',
      domain_handle: 's1',
      create_date: 's1',
      update_date: 's1',
      expiry_date: 's1',
      name_servers: 's1',
      domain_status: 's1',
      secure_dns: 's1',
      'domain_registrar.iana_id': 's1',
      'domain_registrar.registrar_name': 's1',
      'domain_registrar.website_url': 's2',
      'domain_registrar.rdap_server': 's1',
      ...sourcesOf('registrant_contact'),
      ...sourcesOf('administrative_contact'),
      ...sourcesOf('technical_contact'),
      'abuse_contact.name': 's2',
      'abuse_contact.email_address': 's2',
      'abuse_contact.phone': 's2',
    },
    conflicts: [],
  },
};
