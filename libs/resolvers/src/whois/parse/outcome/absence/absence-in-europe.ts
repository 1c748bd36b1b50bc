import { type DeclaredForms, AFNIC, FRED, NOMINET, RPSL } from './absence-forms.js';

/** The forms of registries in Europe and of those whose servers stand there. */
export const FORMS_IN_EUROPE: readonly DeclaredForms[] = [
  ['de', { forms: ['Domain: NAME / Status: free'] }],
  [
    'lv',
    { forms: ['Domain: NAME / Status: free'], beside: ['[Domain]', '[Whois]', 'Updated: * *'] },
  ],
  [
    'be eu',
    { forms: ['Domain: NAME / Status: AVAILABLE'], beside: ['Script: LATIN', 'Script: *'] },
  ],
  ['it lt', { forms: ['Domain: NAME / Status: AVAILABLE'] }],
  ['sx', { forms: ['Status: AVAILABLE (No match for domain NAME)'] }],
  [
    'nl',
    {
      forms: ['NAME is free'],
      beside: ['The Stichting Internet Domeinregistratie Nederland requests…'],
    },
  ],
  [
    'fr pm re tf wf yt',
    {
      forms: AFNIC,
      beside: [
        'o . …',
        'o .…',
        'short date format…',
        'complete date format…',
        'complete date format : *',
        'short date format : *',
        'version : *',
        '[* REQUEST] >> NAME',
        '[* REQUEST] >> -V * NAME',
        'RL Net * - RL IP *',
        '[Querying whois.nic.fr]',
        '[Querying NAME]',
        '[whois.nic.fr]',
        "Use '-h' option to obtain more information about this service.",
      ],
    },
  ],
  ['at', { forms: ['nothing found'] }],
  [
    'priv.at whois.nic.priv.at co.pl co.ug ug',
    { forms: [...RPSL, 'Unfortunately, No Results Were Found'] },
  ],
  [
    'ch li',
    {
      forms: [
        'We do not have an entry in our database matching your query.',
        'The domain name is not registered.',
      ],
    },
  ],
  [
    'cr cz fo it.ao ao mk tz',
    { forms: FRED, beside: ['Data served below is in Unicode.', 'Full text available at:'] },
  ],
  [
    'dk',
    {
      forms: ['No entries found for the selected source.'],
      beside: [
        'DK Hostmaster A/S requests…',
        'Hello *. Your session has been logged.',
        'Hello…',
        'Your session has been logged…',
      ],
    },
  ],
  [
    'ru su ro si',
    {
      forms: ['No entries found for the selected source(s).'],
      beside: [
        'Whois Server Version 3.0 - *',
        'Maintainance : *',
        'The ROTLD WHOIS service on port 43 never discloses…',
        'Top Level Domain : *',
        'Este INTERZISA…',
        'In special este INTERZISA…',
      ],
    },
  ],
  ['rs', { forms: ['ERROR:103: Domain is not registered'] }],
  ['hr', { forms: ['ERROR: No entries found', 'ERROR: no entries found'] }],
  ['no', { forms: ['No match'], beside: ['See *', 'Kopibeskyttet, se *'] }],
  [
    'hu',
    {
      forms: ['Nincs találat / No match', 'Nincs talalat / No match'],
      beside: ['Whois server * serving the hu ccTLD'],
    },
  ],
  ['is', { forms: ['No entries found for query NAME'] }],
  [
    'ua',
    {
      forms: ['No entries found for NAME', 'No records found for object NAME'],
      beside: ['In.UA whois server. (whois.in.ua)', 'NAME whois server. NAME', 'request from *'],
    },
  ],
  [
    'se nu',
    {
      forms: ['domain NAME not found', 'NAME not found'],
      beside: ['Result of search for registered domain names under…'],
    },
  ],
  ['fi ee', { forms: ['Domain not found', 'NOT FOUND: NAME'] }],
  ['sk', { forms: ['Not found.', 'Domain not found.'] }],
  ['uk', { forms: ['No match for NAME', 'No such domain NAME'], beside: [NOMINET[0]] }],
  ['im', { forms: ['The domain NAME was not found'] }],
  [
    'ie',
    {
      forms: [
        'Not Registered - The domain you have requested (NAME) is not a registered .ie domain name',
        'Not Registered - The domain you have requested (NAME) is not a registered .ie domain',
        'Not found: NAME',
      ],
    },
  ],
  [
    'pl',
    {
      forms: ['No information available about domain name NAME in the Registry NASK database'],
      beside: ['WHOIS database responses: *', 'Registrant data available at *'],
    },
  ],
  ['pt', { forms: ['NAME no match', 'NAME - No Match'] }],
  ['lu', { forms: ['No such domain'] }],
  [
    'es',
    {
      forms: ['There is no information available on the domain consulted.'],
      beside: [
        'Access will only be enabled for…',
        'A maximum of…',
        'The service will be limited to the data established…',
        'The User will be held accountable…',
        'The data which can be consulted via this service include…',
        'Queries can be performed on second and third level domains',
        'Should this limit be exceeded…',
      ],
    },
  ],
  ['by', { forms: ['Object does not exist'] }],
  ['bg', { forms: ['Domain name NAME does not exist in database!'] }],
  ['md', { forms: ['No match for', 'No match for NAME'] }],
  [
    'kz',
    {
      forms: ['*** Nothing found for this query.'],
      beside: ['This server is maintained by KazNIC Organization…'],
    },
  ],
  [
    'kg',
    {
      forms: ['Domain NAME / Data not found. This domain is available for registration.'],
      beside: ['Register your own domain at *', 'Use @cctld_kg_bot telegram bot for whois service'],
    },
  ],
  [
    'uz',
    {
      forms: ['Sorry, but domain: NAME, not found in database'],
      beside: ['The Whois Server (ver. 1.0)…'],
    },
  ],
  ['sm', { forms: ['No entries found.'] }],
  ['eu.org', { forms: ['Key not found'] }],
];
