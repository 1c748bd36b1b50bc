import { formatted, type Layout, lines, second, time } from './layout.js';
import { shown } from './icann.js';

const JAPANESE_HEADER = `[ JPRS database provides information on network administration. Its use is    ]
[ restricted to network administration purposes. For further information,     ]
[ use 'whois -h whois.jprs.jp help'. To suppress Japanese output, add'/e'     ]
[ at the end of command, e.g. 'whois -h whois.jprs.jp xxx/e'.                 ]
`;

/** .jp: bracketed keys, dates as `2001/02/21` in JST. */
export const jp: Layout = {
  found: (registration) => `${JAPANESE_HEADER}
Domain Information:
[Domain Name]                   ${registration.domain.toUpperCase()}

[Registrant]                    ${registration.privacy === 'published' ? registration.registrant.organization : 'Whois Privacy Protection Service'}

${lines(registration.nameServers, (host) => `[Name Server]                   ${host}`)}
[Signing Key]                   ${registration.signed ? '20326 8 2 (EXAMPLE)' : ''}

[Created on]                    ${formatted(registration.created, '{y}/{m}/{d}')}
[Expires on]                    ${formatted(registration.expires, '{y}/{m}/{d}')}
[Status]                        Active
[Lock Status]                   AgentChangeLocked
[Last Updated]                  ${formatted(inJapan(registration.updated), '{y}/{m}/{d}')} ${time(inJapan(registration.updated))} (JST)

Contact Information:
[Name]                          ${registration.technical.name}
[Email]                         ${registration.technical.email}
[Web Page]
[Postal code]                   ${registration.technical.postalCode}
[Postal Address]                ${registration.technical.street}
                                ${registration.technical.city}
[Phone]                         ${registration.technical.phone}
[Fax]
`,
  notFound: () => `${JAPANESE_HEADER}\nNo match!!\n`,
  throttled: 'Too many queries from your address. Please try again later.\n',
};

/** Moves a date so that its UTC parts read as Japan Standard Time. */
function inJapan(date: Date): Date {
  return new Date(date.getTime() + 9 * 3_600_000);
}

/** .br: RPSL objects, dates as `20010221`, owner and nic-hdl-br. */
export const br: Layout = {
  found: (registration) => `
% Copyright (c) Nic.br - The data of this registry is provided for information purposes only.
% 2026-01-01T00:00:00-03:00 - IP: 192.0.2.1

domain:      ${registration.domain}
owner:       ${registration.registrant.organization}
ownerid:     00.000.000/0001-00
responsible: ${registration.registrant.name}
country:     BR
owner-c:     ${registration.registrant.handle}
tech-c:      ${registration.technical.handle}
${lines(registration.nameServers, (host) => `nserver:     ${host}\nnsstat:      20260101 AA\nnslastaa:    20260101`)}
${registration.signed ? 'dsrecord:    1234 RSA-SHA-256 00112233445566778899AABBCCDDEEFF\ndsstatus:    20260101 DSOK\n' : ''}saci:        yes
created:     ${formatted(registration.created, '{y}{m}{d}')} #1234567
changed:     ${formatted(registration.updated, '{y}{m}{d}')}
expires:     ${formatted(registration.expires, '{y}{m}{d}')}
status:      published

nic-hdl-br:  ${registration.registrant.handle}
person:      ${registration.registrant.name}
e-mail:      ${registration.registrant.email}
country:     BR
created:     20150101
changed:     20250101

nic-hdl-br:  ${registration.technical.handle}
person:      ${registration.technical.name}
e-mail:      ${registration.technical.email}
country:     BR
created:     20150101
changed:     20250101

% Security and mail abuse issues should also be addressed to cert.br
`,
  notFound: (domain) => `\n% Copyright (c) Nic.br\n\n% No match for ${domain}\n`,
  throttled: '\n% Copyright (c) Nic.br\n\n% Permission denied.\n% Query rate limit exceeded.\n',
};

/** .au: the ICANN layout with eligibility fields, without creation and expiry dates. */
export const au: Layout = {
  found: (registration) => {
    const registrant = shown(registration, registration.registrant);
    return `Domain Name: ${registration.domain}
Registry Domain ID: ${registration.handle}
Registrar WHOIS Server: whois.auda.org.au
Registrar URL: https://www.${registration.registrar.domain}
Last Modified: ${second(registration.updated)}
Registrar Name: ${registration.registrar.name}
Registrar Abuse Contact Email: ${registration.registrar.abuseEmail}
Registrar Abuse Contact Phone: ${registration.registrar.abusePhone}
Reseller Name:
${lines(registration.statuses, (status) => `Status: ${status} https://identitydigital.au/get-au/whois-status-codes#${status}`)}
Registrant Contact ID: ${registration.registrant.handle}
Registrant Contact Name: ${registrant.name}
Tech Contact ID: ${registration.technical.handle}
Tech Contact Name: ${registration.technical.name}
${lines(registration.nameServers, (host) => `Name Server: ${host}`)}
DNSSEC: ${registration.signed ? 'signedDelegation' : 'unsigned'}
Registrant: ${registration.registrant.organization}
Registrant ID: ABN 00000000000
Eligibility Type: Company

>>> Last update of WHOIS database: 2026-01-01T00:00:00Z <<<
`;
  },
  notFound: () => 'NOT FOUND\n>>> Last update of WHOIS database: 2026-01-01T00:00:00Z <<<\n',
  throttled: 'BLACKLISTED: You have exceeded the query limit for your network or IP address.\n',
};

/** .ca: the ICANN layout since 2019. */
export const ca: Layout = {
  found: (registration) => {
    const registrant = shown(registration, registration.registrant);
    return `Domain Name: ${registration.domain}
Registry Domain ID: ${registration.handle.split('_')[0]}-CIRA
Registrar WHOIS Server: whois.ca.fury.ca
Registrar URL: www.${registration.registrar.domain}
Updated Date: ${second(registration.updated)}
Creation Date: ${second(registration.created)}
Registry Expiry Date: ${second(registration.expires)}
Registrar: ${registration.registrar.name}
Registrar IANA ID: not applicable
Registrar Abuse Contact Email: ${registration.registrar.abuseEmail}
Registrar Abuse Contact Phone: ${registration.registrar.abusePhone}
${lines(registration.statuses, (status) => `Domain Status: ${status} https://icann.org/epp#${status}`)}
Registry Registrant ID: ${registrant.handle}
Registrant Name: ${registrant.name}
Registrant Organization: ${registrant.organization}
Registrant Country: ${registrant.countryCode}
Registrant Email: ${registrant.email}
${lines(registration.nameServers, (host) => `Name Server: ${host}`)}
DNSSEC: ${registration.signed ? 'signedDelegation' : 'unsigned'}
URL of the ICANN Whois Inaccuracy Complaint Form: https://www.icann.org/wicf/
>>> Last update of WHOIS database: 2026-01-01T00:00:00Z <<<
`;
  },
  notFound: (domain) => `Not found: ${domain}\n`,
  throttled: 'Your query rate limit has been exceeded. Please wait and try again.\n',
};
