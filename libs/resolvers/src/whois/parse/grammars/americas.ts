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
];
