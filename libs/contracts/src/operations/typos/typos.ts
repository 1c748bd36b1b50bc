import { SEARCH_PROBLEMS } from '../history/history-kinds.js';
import { domainName, suffixes } from '../kinds.js';
import { FORMAT } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { pagedSearch } from '../paging/paged-search.js';
import { searchText } from '../reverse/search-text.js';
import { lengthRange, moment, nameList } from './typo-kinds.js';
import { TyposAnswer } from './typo-answer.js';

const LABEL_LENGTH_MAX = 63;
const PAGES = pagedSearch({ default: { credits: 5, pageSize: 100 } });

export const TYPOS = defineOperation({
  ...PAGES,
  name: 'domain.typos',
  summary: 'Registered domain names that look like a name, contain a word or match a pattern',
  description:
    'Send exactly one of `domainName`, `keyword` and `pattern`. `domainName` generates look-alikes with the algorithms of dnstwist and others, and returns those that are registered, together with internationalised names that look like any of them. `keyword` matches anywhere in the label, including letters that look like its own. In `pattern`, `*` matches any text and may be used twice, and `?` matches one character; the pattern needs three letters or digits in a row. The label is the part before the public suffix. `first_seen_since` returns only names first seen since then.',
  method: 'GET',
  routes: [{ path: '/v2.0/domain/typos', version: 2 }],
  access: { kind: 'key', scope: 'typos', class: 'heavy' },
  owner: { service: 'corpus', path: '/internal/typos' },
  subject: ['domainName', 'keyword', 'pattern'],
  parameters: {
    domainName: {
      kind: domainName(),
      about: 'The domain name to find look-alikes of',
      example: 'registered.test',
      synonyms: ['domain'],
    },
    keyword: {
      kind: searchText(LABEL_LENGTH_MAX),
      about: 'A word that the label contains',
      example: 'registered.test',
    },
    pattern: {
      kind: searchText(LABEL_LENGTH_MAX),
      about: 'A pattern that the whole label matches',
      example: 'my*shop',
    },
    label_length: {
      kind: lengthRange(),
      about: 'Only labels of this length, or within this range of lengths',
      example: '5-12',
    },
    tld: {
      kind: suffixes(),
      about: 'Only names under these suffixes, separated by commas',
      example: 'com,co.uk',
    },
    first_seen_since: {
      kind: moment(),
      about: 'Only names first seen at this time or later; a day means its start in UTC',
      example: '2026-11-20T00:00:00Z',
    },
    exclude: {
      kind: nameList(),
      about: 'Your own domain names to exclude, separated by commas',
      example: 'registered.test',
    },
    format: FORMAT,
    ...PAGES.parameters,
  },
  answers: [{ type: 'application/json', of: TyposAnswer }],
  problems: ['invalid_domain_name', ...SEARCH_PROBLEMS],
  examples: [
    {
      title: 'Look-alikes of a name',
      parameters: { domainName: 'registered.test' },
      answer: {
        status: true,
        query: { selector: 'domainName', value: 'registered.test' },
        paging: {
          page: 1,
          page_size: 100,
          total_records: 1,
          total_is: 'exact',
          total_pages: 1,
          has_next: false,
          next_cursor: null,
        },
        domains: [
          {
            domain_name: 'reg1stered.test',
            domain_unicode: 'reg1stered.test',
            kind: 'homoglyph',
            score: 95,
            reasons: ['looks_the_same'],
            first_seen: '2025-05-10T11:00:00.000Z',
            registrar: 'Example Registrar One, Inc.',
            create_date: '2025-05-09',
            expiry_date: '2027-05-09',
            name_servers: ['ns1.dns-one.example', 'ns2.dns-one.example'],
            mx: [],
            source: 'fixtures',
          },
        ],
        coverage: { has_data: true, sources: [] },
      },
    },
  ],
  fixtures: [
    { value: 'registered.test', answers: 'one look-alike' },
    { value: 'available.test', answers: 'no look-alikes' },
  ],
});
