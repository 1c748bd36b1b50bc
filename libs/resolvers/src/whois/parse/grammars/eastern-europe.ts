import type { Grammar } from './grammar.js';

const DAY_FIRST = { order: 'dmy' } as const;

const TCI: Grammar = {
  tlds: ['ru', 'su'],
  dates: { offsetMinutes: 180 },
  keys: {
    'registrant.name': ['person'],
    'registrant.organization': ['org'],
    'registrant.phone': ['phone'],
    'registrant.fax': ['fax no'],
    'registrant.email': ['e mail'],
    '-': ['free date', 'source', 'admin contact'],
  },
};

const SK_NIC: Grammar = {
  tlds: ['sk'],
  dates: DAY_FIRST,
  columns: true,
  keys: {
    'admin.handle': ['admin id'],
    'admin.phone': ['admin telephone'],
    'tech.handle': ['tech id'],
    'tech.phone': ['tech telephone'],
    '-': ['admin legal form', 'admin org id', 'tech org id', 'tech legal form'],
  },
};

export const EASTERN_EUROPE: readonly Grammar[] = [
  TCI,
  SK_NIC,
  {
    tlds: ['by'],
    keys: {
      'registrant.organization': ['org'],
      'registrant.name': ['person'],
      'registrant.country': ['country'],
      'registrant.city': ['city'],
      'registrant.street': ['address'],
      'registrant.phone': ['phone'],
      'registrant.email': ['email'],
    },
  },
  {
    tlds: ['ua'],
    dates: { offsetMinutes: 120 },
    address: ['cityLine', 'country'],
    keys: { '-': ['dom public', 'mnt by', 'license', 'remark', 'org id'] },
  },
  { tlds: ['hr'], dates: DAY_FIRST, keys: { 'registrant.line': ['descr'] } },
  {
    tlds: ['bg', 'rs', 'mk', 'ro', 'md', 'cz', 'ee', 'hu', 'pl', 'al', 'ba', 'me'],
    dates: DAY_FIRST,
  },
  {
    tlds: ['lt'],
    keys: {
      'registrant.name': ['contact name'],
      'registrant.organization': ['contact organization'],
      'registrant.email': ['contact email'],
    },
  },
  { tlds: ['si'], dates: DAY_FIRST, keys: { '>registrant': ['registrant'] } },
  { tlds: ['lv'], dates: DAY_FIRST, keys: { '@other': ['whois'] } },
  { tlds: ['tr'], dates: DAY_FIRST },
  { tlds: ['kz', 'kg', 'uz', 'tj', 'am', 'ge', 'az'], dates: DAY_FIRST },
];
