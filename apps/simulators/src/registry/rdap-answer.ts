import { shown } from './layouts/icann.js';
import { hasRegistrarHop, isThin } from './layouts/by-tld.js';
import { second } from './layouts/layout.js';
import type { Registration, SimulatedContact } from '../registrations/registration.js';

type Json = Record<string, unknown>;

/**
 * Returns the domain object (RFC 9083) that a server publishes. Its only entity at a thin registry is the registrar; a
 * thick registry and a registrar also publish contacts, redacted as RFC 9537 requires.
 */
export function domainObject(
  registration: Registration,
  role: 'registry' | 'registrar',
  self: string,
): Json {
  const { domain } = registration;
  const hop = role === 'registry' && hasRegistrarHop(registration.tld);
  const redacted = registration.privacy === 'redacted' && !withoutContacts(registration, role);
  return {
    objectClassName: 'domain',
    rdapConformance: [
      'rdap_level_0',
      'icann_rdap_technical_implementation_guide_1',
      ...(redacted ? ['redacted'] : []),
    ],
    handle: registration.handle,
    ldhName: role === 'registry' ? domain.toUpperCase() : domain,
    links: [link('self', self), ...(hop ? [link('related', registration.registrarRdapUrl)] : [])],
    status: [...registration.statuses.map(rdapStatus), ...(registration.signed ? ['active'] : [])],
    events: [
      event('registration', registration.created),
      event(role === 'registrar' ? 'registrar expiration' : 'expiration', registration.expires),
      ...(role === 'registrar' ? [event('expiration', registration.expires)] : []),
      event('last changed', registration.updated),
      { eventAction: 'last update of RDAP database', eventDate: '2026-01-01T00:00:00Z' },
    ],
    nameservers: registration.nameServers.map((ldhName) => ({
      objectClassName: 'nameserver',
      ldhName: role === 'registry' ? ldhName.toUpperCase() : ldhName,
    })),
    secureDNS: {
      delegationSigned: registration.signed,
      ...(registration.signed && { dsData: [DS_DATA] }),
    },
    entities: entities(registration, role),
    ...(redacted ? { redacted: REDACTED_MEMBERS } : {}),
    notices: [
      { title: 'Terms of Use', description: ['An invented answer of a registry simulator.'] },
    ],
  };
}

export function reservedObject(domain: string): Json {
  return {
    objectClassName: 'domain',
    rdapConformance: ['rdap_level_0'],
    ldhName: domain,
    status: ['reserved'],
  };
}

/** Returns the error object of RFC 9083 §6. */
export function errorObject(errorCode: number, title: string): Json {
  return { rdapConformance: ['rdap_level_0'], errorCode, title, description: [title] };
}

function entities(registration: Registration, role: 'registry' | 'registrar'): Json[] {
  const registrar = registrarEntity(registration);
  if (withoutContacts(registration, role)) return [registrar];
  return [
    registrar,
    contactEntity('registrant', registration, registration.registrant),
    contactEntity('administrative', registration, registration.registrant),
    contactEntity('technical', registration, registration.technical),
  ];
}

function withoutContacts(registration: Registration, role: 'registry' | 'registrar'): boolean {
  return role === 'registry' && isThin(registration.tld);
}

function registrarEntity({ registrar }: Registration): Json {
  return {
    objectClassName: 'entity',
    handle: registrar.ianaId,
    roles: ['registrar'],
    publicIds: [{ type: 'IANA Registrar ID', identifier: registrar.ianaId }],
    vcardArray: card(['fn', {}, 'text', registrar.name]),
    links: [link('about', `https://www.${registrar.domain}`)],
    entities: [
      {
        objectClassName: 'entity',
        roles: ['abuse'],
        vcardArray: card(
          ['fn', {}, 'text', 'Abuse desk'],
          ['tel', { type: 'voice' }, 'uri', `tel:${registrar.abusePhone}`],
          ['email', {}, 'text', registrar.abuseEmail],
        ),
      },
    ],
  };
}

/** Returns a jCard (RFC 7095). */
export const card = (...properties: unknown[][]) => [
  'vcard',
  [['version', {}, 'text', '4.0'], ...properties],
];

function contactEntity(role: string, registration: Registration, contact: SimulatedContact): Json {
  const hidden = registration.privacy === 'redacted';
  const visible = hidden
    ? {
        ...shown(registration, contact),
        name: '',
        organization: '',
        street: '',
        city: '',
        postalCode: '',
        phone: '',
      }
    : shown(registration, contact);
  const { registrar } = registration;
  const { street, city, state, postalCode } = visible;
  const address = ['', '', street, city, state, postalCode, ''];
  return {
    objectClassName: 'entity',
    ...(hidden ? {} : { handle: visible.handle }),
    roles: [role],
    vcardArray: card(
      ['fn', {}, 'text', visible.name],
      ...(hidden ? [] : [['org', {}, 'text', visible.organization]]),
      ['adr', { cc: visible.countryCode }, 'text', address],
      ...(hidden
        ? [['contact-uri', {}, 'uri', `https://www.${registrar.domain}/contact-holder`]]
        : [
            ['tel', { type: 'voice' }, 'uri', `tel:${visible.phone}`],
            ['email', {}, 'text', visible.email],
          ]),
    ),
  };
}

const DS_DATA = {
  keyTag: 20326,
  algorithm: 8,
  digestType: 2,
  digest: '00112233445566778899AABBCCDDEEFF',
};

const REGISTRANT = "$.entities[?(@.roles[0]=='registrant')]";
const inCard = (property: string, rest = '') =>
  `${REGISTRANT}.vcardArray[1][?(@[0]=='${property}')]${rest}`;

const REDACTED_MEMBERS = [
  ['Registry Registrant ID', 'removal', `${REGISTRANT}.handle`],
  ['Registrant Name', 'emptyValue', inCard('fn', '[3]')],
  ['Registrant Organization', 'removal', inCard('org')],
  ['Registrant Street', 'emptyValue', inCard('adr', '[3][2]')],
  ['Registrant City', 'emptyValue', inCard('adr', '[3][3]')],
  ['Registrant Postal Code', 'emptyValue', inCard('adr', '[3][5]')],
  ['Registrant Phone', 'removal', inCard('tel')],
  ['Registrant Email', 'replacementValue', inCard('email')],
].map(([type, method, prePath]) => ({
  name: { type },
  prePath,
  pathLang: 'jsonpath',
  method,
  reason: { description: 'Server policy' },
}));

/**
 * Converts an EPP status to its RDAP form (RFC 8056): `clientTransferProhibited` becomes `client transfer prohibited`.
 */
function rdapStatus(epp: string): string {
  return epp.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function event(eventAction: string, date: Date): Json {
  return { eventAction, eventDate: second(date) };
}

function link(rel: string, href: string): Json {
  return { rel, href, value: href, type: rel === 'about' ? 'text/html' : 'application/rdap+json' };
}
