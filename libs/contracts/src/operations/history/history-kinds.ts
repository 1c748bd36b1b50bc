import { day, domainName } from '../kinds.js';

export const SEARCHED_NAME = {
  kind: domainName(),
  about: 'A domain name, a URL or an internationalised name, up to 2,048 characters',
  example: 'registered.test',
  synonyms: ['domain'],
  isRequired: true,
} as const;

export const SEARCHED_DAYS = {
  after: {
    kind: day(),
    about: 'Only data observed on this day (UTC) or later',
    example: '2020-01-01',
    since: 2,
  },
  before: {
    kind: day(),
    about: 'Only data observed before this day (UTC)',
    example: '2026-01-01',
    since: 2,
  },
} as const;

export const SEARCH_PROBLEMS = ['search_too_heavy', 'service_unavailable'] as const;
