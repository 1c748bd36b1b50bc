import type { Grammar } from './grammar.js';

const DAY_FIRST = { order: 'dmy' } as const;

export const WESTERN_EUROPE: readonly Grammar[] = [
  {
    tlds: ['uk', 'ac.uk', 'gov.uk'],
    dates: DAY_FIRST,
    keys: {
      '@registrant': ['registrant', 'registered for', 'domain owner'],
      'registrant.line': ['registrant address'],
      '-': ['registrant type', 'data validation'],
    },
    block: ['name'],
  },
  { tlds: ['fr', 're', 'pm', 'tf', 'wf', 'yt', 'mq', 'gf', 'gp'], dates: DAY_FIRST, keys: { '-': ['zone c', 'nsl id', 'dsl id'] } },
  { tlds: ['nl'], dates: DAY_FIRST, block: ['handle', 'name'] },
  { tlds: ['ch', 'li'], block: ['name'], dates: DAY_FIRST },
  { tlds: ['es', 'pt', 'gr', 'ie', 'mt', 'gi', 'ad'], dates: DAY_FIRST },
  { tlds: ['it', 'sm'], dates: DAY_FIRST },
  { tlds: ['dk'], keys: { '-': ['dns', 'registration period', 'vid'] } },
  { tlds: ['be', 'eu', 'lu'], dates: DAY_FIRST },
  { tlds: ['de'], keys: { '>tech': [] } },
  { tlds: ['at'], keys: {} },
  { tlds: ['fi', 'ax', 'is', 'no', 'fo'], dates: DAY_FIRST, keys: { nameServer: ['name server handle'] } },
  { tlds: ['se', 'nu'], keys: { '>registrant': ['holder'], '-': ['state'] } },
];
