import { day, formatted, type Layout, lines, time } from './layout.js';

/** .se and .nu: a header of comments, and dates without times. */
export const se: Layout = {
  found: (registration) => `# Copyright (c) 1997- The Swedish Internet Foundation.
# The data of this registry is provided for information purposes only.
# This whois printout is printed with UTF-8 encoding.
#
state:            active
domain:           ${registration.domain}
holder:           ${registration.registrant.handle.toLowerCase()}
created:          ${day(registration.created)}
modified:         ${day(registration.updated)}
expires:          ${day(registration.expires)}
transferred:      ${day(registration.updated)}
${lines(registration.nameServers, (host) => `nserver:          ${host}`)}
dnssec:           ${registration.signed ? 'signed delegation' : 'unsigned delegation'}
registry-lock:    unlocked
status:           ok
registrar:        ${registration.registrar.name}
`,
  notFound: (domain) =>
    `# Copyright (c) 1997- The Swedish Internet Foundation.\n#\ndomain "${domain}" not found.\n`,
  throttled: 'Query limit exceeded, try again later\n',
};

/** .dk: capitalised keys, one block per person. */
export const dk: Layout = {
  found: (registration) => `# Hello 192.0.2.1. Your session has been logged.
#
# The data of this registry is provided for information purposes only.

Domain:               ${registration.domain}
DNS:                  ${registration.domain}
Registered:           ${day(registration.created)}
Expires:              ${day(registration.expires)}
Registration period:  1 year
VID:                  no
DNSSEC:               ${registration.signed ? 'Signed delegation' : 'Unsigned delegation'}
Status:               Active

Registrant
Handle:               ***N/A***
Name:                 ${registration.registrant.organization}
Address:              ${registration.registrant.street}
Postalcode:           ${registration.registrant.postalCode}
City:                 ${registration.registrant.city}
Country:              ${registration.registrant.countryCode}
Phone:                ***N/A***

Nameservers
${lines(registration.nameServers, (host) => `Hostname:             ${host}`)}
`,
  notFound: () =>
    '# Hello 192.0.2.1. Your session has been logged.\n#\n\nNo entries found for the selected source.\n',
  throttled: '# You have reached the maximum number of queries, please try again later.\n',
};

/** .no: dotted keys, a handle object for each contact and host. */
export const no: Layout = {
  found: (registration) => `% The data of this registry is provided for information purposes only.

Domain Information

NORID Handle...............: ${registration.handle.split('_')[0]}D-NORID
Domain Name................: ${registration.domain}
Registrar Handle...........: REG${registration.registrar.ianaId}-NORID
Tech-c Handle..............: ${registration.technical.handle}P-NORID
${lines(registration.nameServers, (host) => `Name Server Handle.........: ${host.split('.')[0]?.toUpperCase()}H-NORID`)}
DNSSEC.....................: ${registration.signed ? 'Yes' : 'No'}

Additional information:
Created:         ${day(registration.created)}
Last updated:    ${day(registration.updated)}
`,
  notFound: () => '% No match\n',
  throttled: '% Error: you have exceeded your query limit, access temporarily denied\n',
};

/** .fi: keys padded with dots, dates as `30.6.2006 12:00:00`. */
export const fi: Layout = {
  found: (registration) => `
domain.............: ${registration.domain}
status.............: Registered
created............: ${formatted(registration.created, '{D}.{M}.{y}')} ${time(registration.created)}
expires............: ${formatted(registration.expires, '{D}.{M}.{y}')} ${time(registration.expires)}
available..........: ${formatted(registration.expires, '{D}.{M}.{y}')} ${time(registration.expires)}
modified...........: ${formatted(registration.updated, '{D}.{M}.{y}')} ${time(registration.updated)}
RegistryLock.......: no

Nameservers

${lines(registration.nameServers, (host) => `nserver............: ${host} [OK]`)}

DNSSEC

dnssec.............: ${registration.signed ? 'signed delegation' : 'no'}

Holder

name...............: ${registration.registrant.organization}
register number....: 1234567-8
address............: ${registration.registrant.street}
postal.............: ${registration.registrant.postalCode}
city...............: ${registration.registrant.city}
country............: ${registration.registrant.country}
phone..............:
holder email.......:

Registrar

registrar..........: ${registration.registrar.name}
www................: www.${registration.registrar.domain}

>>> Last update of WHOIS database: 1.1.2026 0:00:00 (EET) <<<
`,
  notFound: () =>
    '\nDomain not found\n\n>>> Last update of WHOIS database: 1.1.2026 0:00:00 (EET) <<<\n',
  throttled: 'Query limit exceeded, try again later\n',
};
