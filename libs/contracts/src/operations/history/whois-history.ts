import { IsBoolean, IsIn, IsInt, IsISO8601, IsOptional, IsString } from 'class-validator';
import { Nested, NestedList, NullableText, OptionalText } from '../../members.js';
import { oneOf } from '../kinds.js';
import { FORMAT } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { pagedSearch } from '../paging/paged-search.js';
import { PagedAnswer, PreviewedMode } from '../paging/paging-answer.js';
import { PublishedRegistration } from '../whois/published-registration.js';
import { WhoisDates, WhoisRedaction } from '../whois/whois-answer.js';
import { WhoisContact } from '../whois/whois-parties.js';
import { SEARCHED_DAYS, SEARCHED_NAME, SEARCH_PROBLEMS } from './history-kinds.js';

/** A published record of a name, in the format of version 1. */
export class HistoricRecordV1 extends PublishedRegistration {
  /** The position in the list, from 1. */
  @IsInt()
  num: number;

  @IsString()
  domain_name: string;

  /** When the record was first observed, `YYYY-MM-DD HH:mm:ss`, UTC. */
  @IsString()
  query_time: string;
}

/** The record published about a name from `first_seen` to `last_seen`. */
export class HistoricRecord extends HistoricRecordV1 {
  /** RFC 3339. */
  @IsISO8601()
  first_seen: string;

  /** When the record was last observed unchanged, RFC 3339. */
  @IsISO8601()
  last_seen: string;

  /** Whether every source of data about the name had answered. */
  @IsBoolean()
  is_complete: boolean;

  /** The name of the record's source in `coverage`. */
  @IsString()
  source: string;

  /** The protocol of the registry's answer; absent if it is unknown, as for imported files. */
  @IsOptional()
  @IsIn(['rdap', 'whois43'])
  protocol?: string;

  @IsOptional()
  @Nested(() => WhoisDates)
  dates?: WhoisDates;

  @IsOptional()
  @Nested(() => WhoisContact)
  abuse_contact?: WhoisContact;

  @OptionalText()
  domain_handle?: string;

  @IsOptional()
  @IsBoolean()
  secure_dns?: boolean;

  /** True if a privacy service replaces the registrant. */
  @IsOptional()
  @IsBoolean()
  privacy_service?: boolean;

  /** True if the contacts are missing because the installation does not keep contacts from its own lookups. */
  @IsOptional()
  @IsBoolean()
  contacts_not_kept?: boolean;

  @IsOptional()
  @NestedList(() => WhoisRedaction)
  redaction?: WhoisRedaction[];
}

/** A value that has changed. A member that only repeats another changed member, such as `dates.expires`, is left out. */
export class HistoricChange {
  /** When the new value was first observed, RFC 3339. */
  @IsISO8601()
  changed_at: string;

  /** Dot path of the member, such as `registrant_contact.name`. */
  @IsString()
  path: string;

  /** Null if there was no published value. Lists are joined by commas. */
  @NullableText()
  before: string | null;

  /** Null if the value is no longer published. */
  @NullableText()
  after: string | null;

  /** The name of the source in `coverage`. */
  @IsString()
  source: string;
}

/** The records published about a name over time, in the order of `sort`. */
export class WhoisHistoryAnswer extends PagedAnswer {
  @IsString()
  domain_name: string;

  @IsString()
  domain_unicode: string;

  @IsIn(['records', 'changes'])
  view: string;

  /** Present with `view=records`. */
  @IsOptional()
  @NestedList(() => HistoricRecord)
  records?: HistoricRecord[];

  /** Present with `view=changes`, from complete records only. */
  @IsOptional()
  @NestedList(() => HistoricChange)
  changes?: HistoricChange[];
}

/** The answer in version 1. */
export class WhoisHistoryAnswerV1 {
  @IsBoolean()
  status: boolean;

  @IsIn(['historical'])
  whois: string;

  @IsString()
  total_records: string;

  @IsInt()
  total_pages: number;

  @IsInt()
  current_page: number;

  @NestedList(() => HistoricRecordV1)
  whois_domains_historical: HistoricRecordV1[];

  /** Present with `mode=preview`, which returns no records and costs nothing: the price of each mode. */
  @IsOptional()
  @NestedList(() => PreviewedMode)
  preview?: PreviewedMode[];
}

const PAGES = pagedSearch({ default: { credits: 5, pageSize: 50 } });

export const WHOIS_HISTORY = defineOperation({
  ...PAGES,
  name: 'whois.history',
  summary: 'Historical registration data of a domain name, as records or as changes between them',
  description:
    'Each record covers a period in which it was observed unchanged, and shows what was published then. `view=changes` lists each changed value together with its previous value; it compares at most the newest 1,000 records. Registries and registrars write the same registration differently over RDAP and over port 43, so `changes` compares records from the same kind of server. Between different kinds, it compares only values that both write in the same way, such as name servers. If the usual servers fail for a while and then return the same record as before, `records` leaves out what other servers returned in the meantime. `coverage` names the loaded sources; an empty result says nothing about other sources.',
  method: 'GET',
  routes: [
    { path: '/v2.0/whois/history', version: 2 },
    {
      path: '/v1.0/whois',
      version: 1,
      when: { parameter: 'whois', value: 'historical' },
      answer: WhoisHistoryAnswerV1,
      successor: '/v2.0/whois/history',
    },
  ],
  access: { kind: 'key', scope: 'history', class: 'heavy' },
  owner: { service: 'corpus', path: '/internal/whois/history' },
  subject: 'domainName',
  parameters: {
    domainName: SEARCHED_NAME,
    whois: {
      kind: oneOf(['historical']),
      about: 'Selects this operation in version 1; version 2 accepts it for old links',
      example: 'historical',
      isForGateway: true,
    },
    view: {
      kind: oneOf(['records', 'changes']),
      about: 'Records, or the changes between them',
      example: 'changes',
      default: 'records' as const,
      since: 2,
    },
    ...SEARCHED_DAYS,
    sort: {
      kind: oneOf(['newest', 'oldest']),
      about: 'What comes first: the newest record or change, or the oldest',
      example: 'oldest',
      default: 'newest' as const,
      since: 2,
    },
    format: FORMAT,
    ...PAGES.parameters,
  },
  answers: [{ type: 'application/json', of: WhoisHistoryAnswer }],
  problems: ['invalid_domain_name', ...SEARCH_PROBLEMS],
  examples: [
    {
      title: 'A name with two records',
      parameters: { domainName: 'registered.test' },
      answer: {
        status: true,
        domain_name: 'registered.test',
        domain_unicode: 'registered.test',
        view: 'records',
        paging: {
          page: 1,
          page_size: 50,
          total_records: 2,
          total_is: 'exact',
          total_pages: 1,
          has_next: false,
          next_cursor: null,
        },
        records: [
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
            name_servers: ['ns1.dns-one.example', 'ns2.dns-one.example'],
          },
          {
            num: 2,
            domain_name: 'registered.test',
            query_time: '2016-05-10 11:00:00',
            first_seen: '2016-05-10T11:00:00.000Z',
            last_seen: '2025-05-09T11:00:00.000Z',
            is_complete: true,
            source: 'fixtures',
            create_date: '2001-05-09',
            expiry_date: '2031-05-09',
            registrant_contact: { name: 'Alex Sample', company: 'Example Holdings' },
            name_servers: ['ns1.dns-two.example', 'ns2.dns-two.example'],
          },
        ],
        coverage: { has_data: true, sources: [] },
      },
    },
  ],
  fixtures: [
    { value: 'registered.test', answers: 'a name with two records' },
    { value: 'available.test', answers: 'no records' },
  ],
});
