import type { Grammar } from './grammar.js';

const DAY_FIRST = { order: 'dmy' } as const;

export const AFRICA: readonly Grammar[] = [
  {
    tlds: [
      'ug',
      'ke',
      'tz',
      'rw',
      'za',
      'ng',
      'gh',
      'ao',
      'mz',
      'zm',
      'bw',
      'mw',
      'na',
      'ci',
      'sn',
    ],
    dates: DAY_FIRST,
  },
  { tlds: ['ma', 'dz', 'tn', 'tg', 'bj', 'cm', 'mg'], dates: DAY_FIRST },
  {
    tlds: ['gov.za'],
    registrantIsOrganization: true,
    keys: {
      created: ['date'],
      '@registrant': ['department name'],
      '@admin': ['admin contact name'],
      '@tech': ['tech contact name'],
      '.organization': ['department'],
      '-': ['title\\position', 'place', 'name of applicant'],
    },
  },
  { tlds: ['cf', 'ga', 'gq', 'ml'], dates: { order: 'mdy' } },
];
