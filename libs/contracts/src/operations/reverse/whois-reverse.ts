import { IsBoolean, IsIn, IsInt, IsOptional, IsString } from 'class-validator';
import { Nested, NestedList, OptionalText } from '../../members.js';
import { SEARCH_PROBLEMS } from '../history/history-kinds.js';
import { HistoricRecord, HistoricRecordV1 } from '../history/whois-history.js';
import { boolean, oneOf, suffixes } from '../kinds.js';
import { FORMAT } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { pagedSearch } from '../paging/paged-search.js';
import { PagedAnswer, PreviewedMode } from '../paging/paging-answer.js';
import { SEARCH_FIXTURES, searchText } from './search-text.js';

/** A found name, with its dates and registrant in mini mode, or its whole newest record in default mode. */
export class ReverseDomain extends HistoricRecord {
  /** The registrant's name, with `mode=mini`. */
  @OptionalText()
  name?: string;

  @OptionalText()
  email?: string;

  @OptionalText()
  company_name?: string;
}

/** A found name in the format of version 1, with its dates and registrant in mini mode, or its whole newest record. */
export class ReverseDomainV1 extends HistoricRecordV1 {
  /** The registrant's name, with `mode=mini`. */
  @OptionalText()
  name?: string;

  @OptionalText()
  email?: string;

  @OptionalText()
  company_name?: string;
}

/** The search as the service understood it. */
export class ReverseQuery {
  @IsIn(['keyword', 'owner', 'email', 'company'])
  selector: string;

  @IsString()
  value: string;

  @IsBoolean()
  exact: boolean;

  @IsIn(['current', 'historic'])
  scope: string;
}

/** Names whose newest complete record publishes a value. */
export class WhoisReverseAnswer extends PagedAnswer {
  @Nested(() => ReverseQuery)
  query: ReverseQuery;

  @NestedList(() => ReverseDomain)
  domains: ReverseDomain[];
}

/** The answer in version 1. */
export class WhoisReverseAnswerV1 {
  @IsBoolean()
  status: boolean;

  @IsIn(['reverse'])
  whois: string;

  @IsInt()
  total_result: number;

  @IsInt()
  total_pages: number;

  @IsInt()
  current_page: number;

  @NestedList(() => ReverseDomainV1)
  whois_domains_historical: ReverseDomainV1[];

  /** Present with `mode=preview`, which returns no records and costs nothing: the price of each mode. */
  @IsOptional()
  @NestedList(() => PreviewedMode)
  preview?: PreviewedMode[];
}

const VALUE_LENGTH_MAX = 200;
const KEYWORD_LENGTH_MAX = 63;
const PAGES = pagedSearch({
  default: { credits: 5, pageSize: 50 },
  mini: { credits: 3, pageSize: 100 },
});

export const WHOIS_REVERSE = defineOperation({
  ...PAGES,
  name: 'whois.reverse',
  summary:
    'Domain names whose published registration data contains a name, e-mail address or company',
  description:
    'Send exactly one of `keyword`, `owner`, `email` and `company`. The search ignores case. With `exact=false`, `*` matches any text and may be used twice, and a value without `*` matches anywhere within a published value; it needs three letters or digits in a row, or two Chinese, Japanese or Korean characters. **Withheld data stays hidden**: values that the newest complete record of a name does not publish are neither found nor counted, with either `scope`.',
  method: 'GET',
  routes: [
    { path: '/v2.0/whois/reverse', version: 2 },
    {
      path: '/v1.0/whois',
      version: 1,
      when: { parameter: 'whois', value: 'reverse' },
      answer: WhoisReverseAnswerV1,
      successor: '/v2.0/whois/reverse',
    },
  ],
  access: { kind: 'key', scope: 'reverse', class: 'heavy' },
  owner: { service: 'corpus', path: '/internal/whois/reverse' },
  subject: ['keyword', 'owner', 'email', 'company'],
  parameters: {
    keyword: {
      kind: searchText(KEYWORD_LENGTH_MAX),
      about: 'Text to find in any name, e-mail address or company',
      example: 'registered.test',
    },
    owner: {
      kind: searchText(VALUE_LENGTH_MAX),
      about: 'Name of a contact',
      example: 'Alex Sample',
    },
    email: {
      kind: searchText(VALUE_LENGTH_MAX),
      about: 'E-mail address of a contact',
      example: 'alex.sample@example.com',
    },
    company: {
      kind: searchText(VALUE_LENGTH_MAX),
      about: 'Company of a contact',
      example: 'Example Holdings',
    },
    whois: {
      kind: oneOf(['reverse']),
      about: 'Selects this operation in version 1; version 2 accepts it for old links',
      example: 'reverse',
      isForGateway: true,
    },
    exact: {
      kind: boolean(),
      about: 'Matches the whole value only; otherwise `*` matches any text',
      example: 'true',
      default: false,
    },
    scope: {
      kind: oneOf(['current', 'historic']),
      about: 'Only names that are registered now, or also names that are no longer registered',
      example: 'historic',
      default: 'current' as const,
      since: 2,
    },
    tld: {
      kind: suffixes(),
      about: 'Only names under these suffixes, separated by commas',
      example: 'com,co.uk',
      since: 2,
    },
    format: FORMAT,
    ...PAGES.parameters,
  },
  answers: [{ type: 'application/json', of: WhoisReverseAnswer }],
  problems: [...SEARCH_PROBLEMS],
  examples: [
    {
      title: 'Names of an owner',
      parameters: { keyword: 'registered.test', mode: 'mini' },
      answer: {
        status: true,
        query: { selector: 'keyword', value: 'registered.test', exact: false, scope: 'current' },
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
            num: 1,
            domain_name: 'registered.test',
            query_time: '2025-05-10 11:00:00',
            first_seen: '2025-05-10T11:00:00.000Z',
            last_seen: '2026-11-20T11:42:03.000Z',
            is_complete: true,
            source: 'fixtures',
            create_date: '2001-05-09',
            expiry_date: '2031-05-09',
            name: 'Alex Sample',
          },
        ],
        coverage: { has_data: true, sources: [] },
      },
    },
  ],
  fixtures: SEARCH_FIXTURES,
});
