import type { Grammar } from './grammar.js';

const DAY_FIRST = { order: 'dmy' } as const;

/** The grammar of AFNIC, which prints a person's employer in the first line of the address. */
const AFNIC: Grammar = {
  tlds: ['fr', 're', 'pm', 'tf', 'wf', 'yt'],
  dates: DAY_FIRST,
  keys: { '-': ['zone c', 'nsl id', 'dsl id', 'type of contact'] },
  organizationFirst: true,
};

const NOMINET: Grammar = {
  tlds: ['uk'],
  dates: DAY_FIRST,
  keys: {
    'registrant.street': ['registrant address'],
    '@reseller': ['registered through'],
    '-': ['registrant type', 'data validation'],
  },
  address: ['city', 'state', 'postalCode', 'country'],
};

const JANET: Grammar = {
  tlds: ['ac.uk', 'gov.uk'],
  dates: DAY_FIRST,
  keys: {
    'registrant.organization': ['registered for'],
    '-': ['domain owner'],
    'registrant.line': ['registrant address'],
    'registrant.name': ['registrant contact'],
    'registrar.name': ['registered by'],
    created: ['entry created'],
  },
};

export const WESTERN_EUROPE: readonly Grammar[] = [
  AFNIC,
  NOMINET,
  JANET,
  { tlds: ['nl'], dates: DAY_FIRST, block: ['handle', 'name'] },
  { tlds: ['ch', 'li'], dates: DAY_FIRST },
  { tlds: ['es'], dates: { ...DAY_FIRST, twoDigitYears: true } },
  { tlds: ['pt', 'gr', 'mt', 'gi', 'ad', 'be', 'eu', 'im', 'gg', 'je'], dates: DAY_FIRST },
  {
    tlds: ['ie'],
    dates: DAY_FIRST,
    keys: { 'registrant.heading': ['descr'], '-': ['holder type', 'locked'] },
  },
  {
    tlds: ['it', 'sm'],
    dates: DAY_FIRST,
    address: ['city', 'postalCode', 'state', 'country'],
    organizationFirst: true,
  },
  {
    tlds: ['lu'],
    dates: DAY_FIRST,
    keys: {
      'registrant.name': ['org name'],
      'registrant.street': ['org address'],
      'registrant.postalCode': ['org zipcode'],
      'registrant.city': ['org city'],
      'registrant.country': ['org country'],
      status: ['domaintype'],
      '-': ['ownertype', 'registrar address'],
    },
  },
  { tlds: ['dk'], keys: { '-': ['dns', 'registration period', 'vid'] } },
  {
    tlds: ['fi'],
    dates: DAY_FIRST,
    looseParty: 'registrant',
    keys: { 'registrant.heading': ['descr'] },
    address: ['postalCode', 'city'],
  },
  { tlds: ['ax', 'fo'], dates: DAY_FIRST },
  { tlds: ['is'], dates: DAY_FIRST, keys: { 'registrant.line': ['descr'] } },
  {
    tlds: ['no'],
    keys: {
      '#': ['norid handle'],
      'registrar.name': ['registrar handle'],
      '-': ['name server handle', 'id type', 'id number'],
    },
  },
  { tlds: ['se', 'nu'], keys: { '>registrant': ['holder'], '-': ['state'] } },
  {
    tlds: ['ac', 'io', 'sh', 'tm'],
    block: ['organization'],
    address: ['city', 'state', 'country'],
  },
  { servers: ['whois.nic.priv.at'], keys: { 'registrant.line': ['descr'] } },
];
