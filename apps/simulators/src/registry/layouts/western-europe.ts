import type { Registration, SimulatedContact } from '../../registrations/registration.js';
import { day, formatted, type Layout, lines, time } from './layout.js';

const HIDDEN = 'Data not disclosed';

/** .uk: indented sections, dates as `30-Aug-2008`. */
export const uk: Layout = {
  found: (registration) => `
    Domain name:
        ${registration.domain}

    Data validation:
        Nominet was able to match the registrant's name and address against a 3rd party data source on ${formatted(registration.created, '{d}-{b}-{y}')}

    Registrar:
        ${registration.registrar.name} [Tag = ${registration.registrar.tag}]
        URL: https://www.${registration.registrar.domain}

    Relevant dates:
        Registered on: ${formatted(registration.created, '{d}-{b}-{y}')}
        Expiry date:  ${formatted(registration.expires, '{d}-{b}-{y}')}
        Last updated:  ${formatted(registration.updated, '{d}-{b}-{y}')}

    Registration status:
        Registered until expiry date.

    Name servers:
${lines(registration.nameServers, (host) => `        ${host}`)}

    DNSSEC:
        ${registration.signed ? 'Signed' : 'Unsigned'}

    WHOIS lookup made at 00:00:00 01-Jan-2026

-- 
The data of this registry is provided for information purposes only.
`,
  notFound: (domain) => `
    No match for "${domain}".

    This domain name has not been registered.

    WHOIS lookup made at 00:00:00 01-Jan-2026
`,
  throttled: `
    Error for "query".

    The WHOIS query quota for 192.0.2.1 has been exceeded
    and will be replenished in 50 seconds.

    WHOIS lookup made at 00:00:00 01-Jan-2026
`,
};

/** .de: only status and name servers; the technical contacts were removed in 2018. */
export const de: Layout = {
  found: (registration) => `% Restricted rights.
%
% The data of this registry is provided for information purposes only.
%

Domain: ${registration.domain}
${lines(registration.nameServers, (host) => `Nserver: ${host}`)}
${registration.signed ? 'Dnskey: 257 3 8 AwEAAc0rExampleKeyOnly\n' : ''}Status: connect
Changed: ${day(registration.updated)}T${time(registration.updated)}+01:00
`,
  notFound: (domain) => `Domain: ${domain}\nStatus: free\n`,
  throttled: '% Error: 55000000002 Connection refused; access control limit reached.\n',
};

const FRENCH_HEADER = `%%
%% This is the AFNIC Whois server.
%%
%% complete date format: YYYY-MM-DDThh:mm:ssZ
%%
%% The data of this registry is provided for information purposes only.
%%
`;

/** .fr and the French overseas names: RPSL objects, ISO dates. */
export const fr: Layout = {
  found: (registration) => `${FRENCH_HEADER}
domain:                        ${registration.domain}
status:                        ACTIVE
eppstatus:                     active
hold:                          NO
holder-c:                      ${registration.registrant.handle}-FRNIC
admin-c:                       ${registration.registrant.handle}-FRNIC
tech-c:                        ${registration.technical.handle}-FRNIC
registrar:                     ${registration.registrar.name}
Expiry Date:                   ${day(registration.expires)}T${time(registration.expires)}Z
created:                       ${day(registration.created)}T${time(registration.created)}Z
last-update:                   ${day(registration.updated)}T${time(registration.updated)}Z
source:                        FRNIC

${lines(registration.nameServers, (host) => `nserver:                       ${host}`)}
source:                        FRNIC

registrar:                     ${registration.registrar.name}
address:                       1 Sample Avenue
address:                       90001 Springfield
country:                       US
phone:                         ${registration.registrar.abusePhone}
e-mail:                        support@${registration.registrar.domain}
website:                       https://www.${registration.registrar.domain}
anonymous:                     No
registered:                    2010-01-10T00:00:00Z
source:                        FRNIC

${frenchContact(registration, registration.registrant, registration.privacy !== 'published')}
${frenchContact(registration, registration.technical, false)}
>>> Last update of WHOIS database: 2026-01-01T00:00:00.000000Z <<<
`,
  notFound: () => `${FRENCH_HEADER}
%% NOT FOUND

>>> Last update of WHOIS database: 2026-01-01T00:00:00.000000Z <<<
`,
  throttled: `${FRENCH_HEADER}%%
%% Too many requests...
%%
`,
};

function frenchContact(registration: Registration, contact: SimulatedContact, hidden: boolean) {
  const published = `type:                          ORGANIZATION
contact:                       ${contact.organization}
address:                       ${contact.street}
address:                       ${contact.postalCode} ${contact.city}
country:                       ${contact.countryCode}
phone:                         ${contact.phone}
e-mail:                        ${contact.email}
registrar:                     ${registration.registrar.name}
changed:                       ${day(registration.updated)}T${time(registration.updated)}Z
anonymous:                     NO`;
  const anonymous = `type:                          PERSON
contact:                       Ano Nymous
registrar:                     ${registration.registrar.name}
anonymous:                     YES
remarks:                       -------------- WARNING --------------
remarks:                       While the registrar knows him/her,
remarks:                       this person chose to restrict access
remarks:                       to his/her personal data.`;
  return `nic-hdl:                       ${contact.handle}-FRNIC
${hidden ? anonymous : published}
obsoleted:                     NO
eppstatus:                     associated
eppstatus:                     active
source:                        FRNIC
`;
}

/** .it: sections of indented keys, addresses over several lines. */
export const it: Layout = {
  found: (registration) => `
*********************************************************************
* Please note that the following result could be a subgroup of      *
* the data contained in the database.                               *
* The data of this registry is provided for information purposes only.                       *
*********************************************************************

Domain:             ${registration.domain}
Status:             ok
Signed:             ${registration.signed ? 'yes' : 'no'}
Created:            ${day(registration.created)} ${time(registration.created)}
Last Update:        ${day(registration.updated)} ${time(registration.updated)}
Expire Date:        ${day(registration.expires)}

Registrant
${italianContact(registration.registrant, registration.privacy !== 'published')}
  Created:          ${day(registration.created)} ${time(registration.created)}
  Last Update:      ${day(registration.updated)} ${time(registration.updated)}

Admin Contact
${italianContact(registration.registrant, registration.privacy !== 'published')}
  Created:          ${day(registration.created)} ${time(registration.created)}
  Last Update:      ${day(registration.updated)} ${time(registration.updated)}

Technical Contacts
${italianContact(registration.technical, false)}
  Created:          ${day(registration.created)} ${time(registration.created)}
  Last Update:      ${day(registration.updated)} ${time(registration.updated)}

Registrar
  Organization:     ${registration.registrar.name}
  Name:             ${registration.registrar.tag}-REG
  Web:              https://www.${registration.registrar.domain}
  DNSSEC:           yes

Nameservers
${lines(registration.nameServers, (host) => `  ${host}`)}
`,
  notFound: (domain) => `Domain:             ${domain}\nStatus:             AVAILABLE\n`,
  throttled: 'Query rate limit exceeded. Please try again later.\n',
};

function italianContact(contact: SimulatedContact, hidden: boolean): string {
  if (hidden) return '  Organization:     hidden\n  Name:             hidden';
  return `  Organization:     ${contact.organization}
  Address:          ${contact.street}
                    ${contact.city}
                    ${contact.postalCode}
                    ${contact.state}
                    ${contact.countryCode}`;
}

/** .ch and .li: headings followed by lines. */
export const ch: Layout = {
  found: (registration) => `Domain name:
${registration.domain}

Holder of domain name:
${registration.privacy === 'published' ? swissAddress(registration.registrant) : HIDDEN}

Registrar:
${registration.registrar.name}

First registration date:
${day(registration.created)}

DNSSEC:${registration.signed ? 'Y' : 'N'}

Name servers:
${lines(registration.nameServers, (host) => host)}
`,
  notFound: () => 'We do not have an entry in our database matching your query.\n',
  throttled: 'Requests of this client are not permitted. You have exceeded your query limit.\n',
};

function swissAddress(contact: SimulatedContact): string {
  return `${contact.organization}
${contact.name}
${contact.street}
${contact.countryCode}-${contact.postalCode} ${contact.city}
${contact.country}`;
}
