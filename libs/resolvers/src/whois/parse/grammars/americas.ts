import type { Grammar } from './grammar.js';

const DAY_FIRST = { order: 'dmy' } as const;

export const AMERICAS: readonly Grammar[] = [
  {
    tlds: ['br'],
    keys: {
      'registrant.heading': ['owner'],
      '-': ['ownerid', 'responsible', 'nsstat', 'nslastaa', 'saci', 'dscheck', 'dslastok'],
    },
  },
  { tlds: ['ca'], dates: { order: 'ymd' } },
  { tlds: ['us'], dates: { order: 'mdy' } },
  {
    tlds: [
      'ar',
      'bo',
      'cl',
      'co',
      'cr',
      'cu',
      'do',
      'ec',
      'gt',
      'hn',
      'mx',
      'ni',
      'pa',
      'pe',
      'py',
      'sv',
      'uy',
      've',
    ],
    dates: DAY_FIRST,
  },
  { tlds: ['edu'], registrantIsOrganization: true },
  {
    tlds: ['dm', 'gd', 'vg', 'tc', 'st'],
    servers: ['whois.ksregistry.net', 'whois.adamsnames.tc'],
    keys: {
      'registrant.handle': ['owner contact', 'registrant contact'],
      'admin.handle': ['admin contact'],
      'tech.handle': ['tech contact'],
      'billing.handle': ['billing contact'],
    },
  },
  {
    tlds: ['int', 'arpa'],
    servers: ['whois.iana.org'],
    looseParty: 'registrant',
    address: ['country'],
  },
];
