import type { Registration, SimulatedContact } from '../../registrations/registration.js';
import { type Layout, lines, second } from './layout.js';

const CLOSING = `>>> Last update of whois database: 2026-01-01T00:00:00Z <<<

For more information on Whois status codes, please visit https://icann.org/epp

NOTICE: The data of this registry is provided for information purposes only.`;

/** The answers of a thin registry, such as that of .com and .net: everything but the contacts. */
export const thinRegistry: Layout = {
  found: (registration) => indented(head(registration, registration.domain.toUpperCase())),
  notFound: (domain) => `No match for domain "${domain.toUpperCase()}".\n${CLOSING}`,
  reserved: (domain) => `Reserved name: ${domain.toUpperCase()} is reserved by the registry.\n`,
  throttled: 'WHOIS LIMIT EXCEEDED',
};

/**
 * The answers of thick gTLD registries, and of the many country registries that chose the same
 * layout.
 */
export const thickRegistry: Layout = {
  found: (registration) =>
    `${head(registration, registration.domain, contacts(registration))}\n${CLOSING}`,
  notFound: (domain) => `Domain not found.\n>>> ${domain} <<<\n${CLOSING}`,
  reserved: (domain) => `This name is reserved by the Registry: ${domain}\n`,
  throttled:
    'Your request exceeds the allowed rate. Query rate limit exceeded, please try again later.',
};

export const registrarAnswer: Layout = {
  found: (registration) =>
    `${head(registration, registration.domain, contacts(registration))}\n${CLOSING}`.replace(
      'Registry Expiry Date',
      'Registrar Registration Expiration Date',
    ),
  notFound: (domain) => `No match for "${domain}".\n`,
  throttled: 'Too many requests. Your IP address has been temporarily blocked, quota exceeded.',
};

function head(registration: Registration, domain: string, contactLines = ''): string {
  const { registrar } = registration;
  const upper = domain === domain.toUpperCase();
  return `Domain Name: ${domain}
Registry Domain ID: ${registration.handle}
Registrar WHOIS Server: ${registration.registrarWhoisServer}
Registrar URL: http://www.${registrar.domain}
Updated Date: ${second(registration.updated)}
Creation Date: ${second(registration.created)}
Registry Expiry Date: ${second(registration.expires)}
Registrar: ${registrar.name}
Registrar IANA ID: ${registrar.ianaId}
Registrar Abuse Contact Email: ${registrar.abuseEmail}
Registrar Abuse Contact Phone: ${registrar.abusePhone}
${lines(registration.statuses, (status) => `Domain Status: ${status} https://icann.org/epp#${status}`)}
${contactLines}${lines(registration.nameServers, (host) => `Name Server: ${upper ? host.toUpperCase() : host}`)}
DNSSEC: ${registration.signed ? 'signedDelegation' : 'unsigned'}
URL of the ICANN Whois Inaccuracy Complaint Form: https://www.icann.org/wicf/`;
}

function contacts(registration: Registration): string {
  return [
    contact('Registrant', shown(registration, registration.registrant)),
    contact('Admin', shown(registration, registration.registrant)),
    contact('Tech', shown(registration, registration.technical)),
  ].join('');
}

function contact(role: string, value: SimulatedContact): string {
  return `Registry ${role} ID: ${value.handle}
${role} Name: ${value.name}
${role} Organization: ${value.organization}
${role} Street: ${value.street}
${role} City: ${value.city}
${role} State/Province: ${value.state}
${role} Postal Code: ${value.postalCode}
${role} Country: ${value.countryCode}
${role} Phone: ${value.phone}
${role} Phone Ext:
${role} Fax: ${value.phone === REDACTED ? REDACTED : ''}
${role} Fax Ext:
${role} Email: ${value.email}
`;
}

const REDACTED = 'REDACTED FOR PRIVACY';

/** Returns the published form of a contact: unchanged, redacted, or behind a privacy service. */
export function shown(registration: Registration, value: SimulatedContact): SimulatedContact {
  if (registration.privacy === 'published') return value;
  if (registration.privacy === 'service') {
    return {
      ...value,
      name: 'Privacy Protect Customer',
      organization: 'Example Privacy Service, LLC',
      street: 'PO Box 100',
      email: `${registration.domain.replaceAll('.', '-')}@privacy-service.example`,
    };
  }
  return {
    handle: REDACTED,
    name: REDACTED,
    organization: REDACTED,
    street: REDACTED,
    city: REDACTED,
    state: value.state,
    postalCode: REDACTED,
    countryCode: value.countryCode,
    country: value.country,
    email: 'Please query the RDDS service of the Registrar of Record identified in this output',
    phone: REDACTED,
  };
}

function indented(text: string): string {
  return `${lines(text.split('\n'), (line) => `   ${line}`)}\n${CLOSING}`;
}
