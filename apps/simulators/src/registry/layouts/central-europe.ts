import type { SimulatedContact } from '../../registrations/registration.js';
import { formatted, type Layout, lines, time } from './layout.js';

/** .pl: name servers as an indented list, dates as `2002.09.19 13:00:00`. */
export const pl: Layout = {
  found: (registration) => `
DOMAIN NAME:           ${registration.domain}
registrant type:       organization
nameservers:           ${registration.nameServers.map((host) => `${host}.`).join('\n                       ')}
created:               ${formatted(registration.created, '{y}.{m}.{d}')} ${time(registration.created)}
last modified:         ${formatted(registration.updated, '{y}.{m}.{d}')} ${time(registration.updated)}
renewal date:          ${formatted(registration.expires, '{y}.{m}.{d}')} ${time(registration.expires)}

no option

dnssec:                ${registration.signed ? 'Signed' : 'Unsigned'}

REGISTRAR:
${registration.registrar.name}
1 Sample Avenue
90001 Springfield
United States
Tel: ${registration.registrar.abusePhone}
${registration.registrar.abuseEmail}
www.${registration.registrar.domain}

WHOIS database responses: https://dns.pl/en/whois
WHOIS displays data with a delay not exceeding 15 minutes in relation to the .pl Registry system
`,
  notFound: (domain) =>
    `No information available about domain name ${domain} in the Registry NASK database.\n`,
  throttled: 'request limit exceeded for 192.0.2.1\n',
};

/** .at: RPSL objects, dates as `20080115 12:30:01`. */
export const at: Layout = {
  found: (registration) => `% Restricted rights.
%
% The data of this registry is provided for information purposes only.

domain:         ${registration.domain}
registrar:      ${registration.registrar.name} ( https://nic.at/registrar/1 )
registrant:     ${registration.privacy === 'published' ? `${registration.registrant.handle}-NICAT` : '<data not disclosed>'}
tech-c:         ${registration.technical.handle}-NICAT
${lines(registration.nameServers, (host) => `nserver:        ${host}`)}
changed:        ${formatted(registration.updated, '{y}{m}{d}')} ${time(registration.updated)}
source:         AT-DOM

${registration.privacy === 'published' ? austrianPerson(registration.registrant) : ''}${austrianPerson(registration.technical)}`,
  notFound: () => '% Restricted rights.\n%\n% nothing found\n',
  throttled: '% Quota exceeded\n',
};

function austrianPerson(contact: SimulatedContact): string {
  return `personname:     ${contact.name}
organization:   ${contact.organization}
street address: ${contact.street}
postal code:    ${contact.postalCode}
city:           ${contact.city}
country:        ${contact.country}
phone:          ${contact.phone}
e-mail:         ${contact.email}
nic-hdl:        ${contact.handle}-NICAT
changed:        20200101 00:00:00
source:         AT-DOM

`;
}

/** .cz: linked objects; name servers are in the nsset. */
export const cz: Layout = {
  found: (registration) => `%  (c) 2006-2026 CZ.NIC, z.s.p.o.
%
% The data of this registry is provided for information purposes only.
%
% Whoisd Server Version: 3.15.0
% Timestamp: Thu Jan 01 00:00:00 2026

domain:       ${registration.domain}
registrant:   ${registration.registrant.handle}
admin-c:      ${registration.registrant.handle}
nsset:        NS-${registration.technical.handle}
registrar:    REG-${registration.registrar.tag}
registered:   ${formatted(registration.created, '{d}.{m}.{y}')} ${time(registration.created)}
changed:      ${formatted(registration.updated, '{d}.{m}.{y}')} ${time(registration.updated)}
expire:       ${formatted(registration.expires, '{d}.{m}.{y}')}

contact:      ${registration.registrant.handle}
${registration.privacy === 'published' ? `org:          ${registration.registrant.organization}\n` : ''}name:         ${registration.registrant.name}
address:      ${registration.registrant.street}
address:      ${registration.registrant.city}
address:      ${registration.registrant.postalCode}
address:      ${registration.registrant.countryCode}
registrar:    REG-${registration.registrar.tag}
created:      01.01.2015 10:00:00

nsset:        NS-${registration.technical.handle}
${lines(registration.nameServers, (host) => `nserver:      ${host}`)}
tech-c:       ${registration.technical.handle}
registrar:    REG-${registration.registrar.tag}
created:      01.01.2015 10:00:00
`,
  notFound: () =>
    '%  (c) 2006-2026 CZ.NIC, z.s.p.o.\n%\n%ERROR:101: no entries found\n%\n% No entries found.\n',
  throttled: 'Your connection limit exceeded. Please slow down and try again later.\n',
};

/** .ru: one block, expiry called `paid-till`. */
export const ru: Layout = {
  found: (
    registration,
  ) => `% TCI Whois Service. The data of this registry is provided for information purposes only.

domain:        ${registration.domain.toUpperCase()}
${lines(registration.nameServers, (host) => `nserver:       ${host}.`)}
state:         REGISTERED, DELEGATED, VERIFIED
${registration.privacy === 'published' ? `org:           ${registration.registrant.organization}` : 'person:        Private Person'}
registrar:     ${registration.registrar.tag}-RU
admin-contact: https://www.${registration.registrar.domain}/contact
created:       ${formatted(registration.created, '{y}-{m}-{d}')}T${time(registration.created)}Z
paid-till:     ${formatted(registration.expires, '{y}-{m}-{d}')}T${time(registration.expires)}Z
free-date:     ${formatted(registration.expires, '{y}-{m}-{d}')}
source:        TCI

Last updated on 2026-01-01T00:00:00Z
`,
  notFound: () =>
    '% TCI Whois Service.\n\nNo entries found for the selected source(s).\n\nLast updated on 2026-01-01T00:00:00Z\n',
  throttled: 'You have exceeded allowed connection rate.\n',
};
