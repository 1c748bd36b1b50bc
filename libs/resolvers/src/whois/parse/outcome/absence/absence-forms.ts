/**
 * The answer of each registry about a name that nobody holds, as printed by its server: the only evidence of absence.
 * List a form only with the registry's own answer or documentation at hand.
 *
 * `NAME` is the name asked for, `LABEL` its first label, `*` one word that varies. ` / ` parts lines, each of which
 * must stand in the answer. A form that names nobody is compared letter by letter, case included; a form with a name
 * without regard to case, quotation marks and a full stop. What else may stand in the answer, `notices.ts` says.
 */
export interface AbsenceForms {
  readonly forms: readonly string[];
  /** Lines of this server beside the form that say nothing of the name. */
  readonly beside?: readonly string[];
}

/** Forms by TLDs and servers, parted by spaces. */
export type DeclaredForms = readonly [of: string, declared: AbsenceForms];

const STATUS_PAIRS = [
  'Domain: NAME / Status: free',
  'Domain: NAME / Status: available',
  'Domain Name: NAME / Domain Status: available',
  'Domain Name: NAME / Domain Status: No Object Found',
  'Domain Name: NAME / Status: available',
  'Domain Name: NAME / Status: No Object Found',
  'Domain Name: NAME / Status: Not Registered',
  'Query: NAME / Status: Not Registered',
  'Query: NAME / Status: available',
];
export const COCCA = [
  'Domain Name: NAME / Domain Status: No Object Found',
  'Domain Name: NAME / Domain Status: available',
  'Query: NAME / Status: Not Registered',
  'The queried object does not exist: NAME',
];
export const JWHOIS = ['NO OBJECT FOUND! / object: NAME', 'Domain NAME not found'];
export const FRED = ['ERROR:101: no entries found', 'No entries found.'];
export const RPSL = ['No entries found for the selected source(s).', 'No entries found for NAME'];
export const AFNIC = ['No entries found in the AFNIC Database.', 'NOT FOUND'];
export const NEUSTAR = ['No Data Found', 'Not found: NAME'];
export const AFILIAS = ['NOT FOUND', 'Not found: NAME'];
export const DONUTS = ['Domain not found.'];
export const CENTRALNIC = [
  'DOMAIN NOT FOUND',
  'The queried object does not exist: DOMAIN NOT FOUND',
  'The queried object does not exist: previous registration * was purged on * (DOMAIN NOT FOUND)',
];
const CORE = [
  'The queried object does not exist',
  'The queried object does not exist: no matching objects found',
];
const ZDNS = [
  'The queried object does not exist: NAME',
  'The queried object does not exist: Common; No match.',
];
export const REGISTRY_ZA = ['Available / Domain: NAME'];
export const VERISIGN = ['No match for NAME', 'No match for domain NAME'];
export const NOMINET = ['This domain name has not been registered.', 'No match for NAME'];

/** The forms of registries under contract with ICANN, whose operators change. */
export const GENERIC_REGISTRIES: AbsenceForms = {
  forms: [
    ...VERISIGN,
    ...AFILIAS,
    ...DONUTS,
    ...NEUSTAR,
    ...CENTRALNIC,
    ...CORE,
    ...ZDNS,
    ...REGISTRY_ZA,
    ...STATUS_PAIRS,
    NOMINET[0],
    'Domain NAME is available for registration',
    'Object NAME NOT FOUND',
    'Domain NAME not found',
    'No domain records were found to match NAME',
    'No entries found in the AFNIC Database.',
    'NAME is free',
    'No such domain: NAME',
    'The domain NAME is not registered.',
  ],
};

/** The forms for unknown servers: statements of several registries, with the name. */
export const FORMS_WITH_NAME: readonly string[] = [
  ...STATUS_PAIRS,
  'Status: AVAILABLE (No match for domain NAME)',
  'Available / Domain: NAME',
  'NO OBJECT FOUND! / object: NAME',
  'No match for NAME',
  'No match for domain NAME',
  'No match found for NAME',
  'No match: NAME',
  'NAME no match',
  'Not found: NAME',
  'NAME not found',
  'NAME was not found',
  'NAME: not found',
  'Object NAME not found',
  'Domain NAME not found',
  'Domain name NAME not found',
  'Domain not found: NAME',
  'Domain NAME was not found',
  'The domain NAME was not found',
  'The domain name NAME was not found',
  'No such domain NAME',
  'No such domain: NAME',
  'NAME is free',
  'Domain NAME is free',
  'NAME is available',
  'Domain: NAME is available',
  'Domain NAME is available',
  'NAME is available for registration',
  'Domain NAME is available for registration',
  'The domain NAME is available for registration',
  'Domain NAME is available for purchase',
  'NAME is not registered',
  'Domain NAME is not registered',
  'Domain NAME not registered',
  'Domain NAME has not been registered',
  'Domain name NAME is not registered',
  'The domain NAME is not registered',
  'The domain name NAME is not registered',
  'NAME does not exist',
  'Domain NAME does not exist',
  'Domain name NAME does not exist',
  'Domain name NAME does not exist in database',
  'The domain name NAME does not exist',
  'NAME: no existe',
  'No entries found for NAME',
  'No entries found for query NAME',
  'No entries found for domain NAME',
  'No records found for NAME',
  'No records found for object NAME',
  'No records matching NAME found',
  'No domain records were found to match NAME',
  'No data found for NAME',
  'No information available about domain name NAME in the Registry NASK database',
  'The queried object does not exist: NAME',
  'query_status: 220 Available / domain_name: NAME',
];

/** The same without it, which count only where the answer repeats the name or carries a registry's notice. */
export const FORMS_WITHOUT_NAME: readonly string[] = [
  ...FRED,
  ...AFILIAS.slice(0, 1),
  ...DONUTS,
  ...CENTRALNIC,
  ...CORE,
  ...RPSL.slice(0, 1),
  NEUSTAR[0],
  NOMINET[0],
  'No entries found for the selected source.',
  'No entries found for the selected sources.',
  'No entries found',
  'No match',
  'No match!!',
  'No match.',
  'No Match',
  'Not found',
  'Not found.',
  'Not Found.',
  'not found...',
  'Domain not found',
  'Domain Not Found',
  'Domain is not registered',
  'The domain is not registered.',
  'The domain has not been registered.',
  'The domain name is not registered.',
  'The requested domain was not found.',
  'This domain is not registered.',
  'No such domain',
  'No matching record.',
  'No records found.',
  'No data was found to match the request criteria.',
  'Object not found',
  'Object does not exist',
  'nothing found',
  'NO OBJECT FOUND!',
  'Nincs találat / No match',
  'Unfortunately, No Results Were Found',
  'We do not have an entry in our database matching your query.',
  'El dominio no se encuentra registrado',
  '상기 도메인이름은 등록되어 있지 않습니다.',
];

/** Openings of sentences in the notices of several registries that speak of the service without saying how it fares now. */
export const KNOWN_NOTICES: readonly string[] = [
  'When using the Donuts Whois service, please consider the following',
  'The Whois service may be scheduled for downtime during production or OT&E maintenance periods',
  'Queries to the Whois services are throttled',
  'If too many queries are received from a single IP address within a specified time',
  'Where applicable, the presence of a [Non-Public Data] tag',
  'Access to non-public data may be provided, upon request',
  'NOTICE: The expiration date displayed in this record is the date',
  'NOTE: FAILURE TO LOCATE A RECORD IN THE WHOIS DATABASE IS NOT INDICATIVE',
  "The data is provided on an 'as-is' basis and may lag behind the register",
  'WHOIS query results shown may lag behind the Register',
  'WHOIS displays data with a delay not exceeding 15 minutes',
  'Access may be withdrawn or restricted at any time',
  'UK privacy laws limit the scope of information permitted',
  'All domain names are subject to certain additional domain name registration rules',
  'Access to the Whois and RDAP services is rate limited',
  'Access to the whois service is rate limited',
  'We may discontinue or amend any part or the whole of these Terms of Service',
  'This information has been prepared and published in order to represent administrative',
  'In this cases, performing a check through your Registrar',
  'In some limited cases, domains that might appear as available',
  'Additionally, domains currently or previously used as extensions',
  'The above WHOIS results have been redacted',
  'The WHOIS information provided in this page has been redacted',
  'To find out more, or to make a request for access, please visit',
  'By maintaining the connection you assure',
  'The TLD is not associated with, or sponsored by',
  'BY USING THE WHOIS SERVICE AND THE DATA CONTAINED HEREIN',
  'Last updated on',
  'WHOIS request date:',
  '(c) sell or redistribute the data',
  'Last update of WHOIS database',
  'KG on behalf of itself',
  'Die RyCE-Whois-Datenbank ist',
  'Die Abfrage einzelner Domains wird',
  'Whois database was last updated on',
  'URL of the ICANN Whois Inaccuracy Complaint Form',
  'This service is intended only for query-based access',
  'This information is provided free of charge from the Channel Islands',
  'Domain names can now be registered with many different competing registrars',
  'The Registry maintains the right to restrict your access',
  'Disclosure of contact data is restricted because of',
  'Contact information: Disclosure of contact data is restricted because of',
  'Domains up to 3 letters are premium domains',
  'MuseDoma is the only entity',
  'Any breach to these rules can carry penal sanctions',
  'Store or compile WHOIS data to build up',
  'Should the user violate these points',
  'Furthermore, you may never do any of the following',
  'We reserve the right to enter IP addresses',
  '(b) repackage, reuse or redistribute',
  '(a) querying the availability of a domain name licence',
  '(b) identifying the holder of a domain name licence',
  '(c) contacting the holder of a domain name licence',
  '(a) use the data to allow',
  '(b) harass any person',
  'KG under any circumstances',
  'whose registered office is at',
  'For help on using this server',
  'This server must not be used as a backend for a search engine',
  'Additional information may be available at',
  "NOTICE: Access to the domain name's information is restricted",
  '(c) The Foundation for Internet Domain Registration in the Netherlands',
  'Result of search for registered domain names under the',
  'The sole owner of a domain is the entity described',
  "Le seul propriétaire d'un domaine",
  'LAST UPDATE:',
];
