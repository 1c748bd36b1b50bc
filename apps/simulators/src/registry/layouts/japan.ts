import { formatted, type Layout, lines, time } from './layout.js';

const JAPANESE_HEADER = `[ JPRS database provides information on network administration. Its use is    ]
[ restricted to network administration purposes. For further information,     ]
[ use 'whois -h whois.jprs.jp help'. To suppress Japanese output, add'/e'     ]
[ at the end of command, e.g. 'whois -h whois.jprs.jp xxx/e'.                 ]
`;

/** .jp: bracketed keys, and dates as `2001/02/21`, in JST. */
export const jp: Layout = {
  found: (registration) => `${JAPANESE_HEADER}
Domain Information:
[Domain Name]                   ${registration.domain.toUpperCase()}

[Registrant]                    ${registration.privacy === 'published' ? registration.registrant.organization : 'Whois Privacy Protection Service'}

${lines(registration.nameServers, (host) => `[Name Server]                   ${host}`)}
[Signing Key]                   ${registration.signed ? '20326 8 2 (EXAMPLE)' : ''}

[Created on]                    ${formatted(inJapan(registration.created), '{y}/{m}/{d}')}
[Expires on]                    ${formatted(inJapan(registration.expires), '{y}/{m}/{d}')}
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
