import { IsIn, IsInt, IsISO8601, IsObject, IsOptional, IsString } from 'class-validator';
import { NestedList, NullableTime, OptionalText } from '../../members.js';
import { listOf, oneOf } from '../kinds.js';
import { FORMAT } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { pagedSearch } from '../paging/paged-search.js';
import { PagedAnswer } from '../paging/paging-answer.js';
import { SEARCHED_DAYS, SEARCHED_NAME, SEARCH_PROBLEMS } from './history-kinds.js';

export const HISTORIC_TYPES = ['A', 'AAAA', 'MX', 'NS', 'CNAME', 'TXT', 'SOA'] as const;
export type HistoricType = (typeof HISTORIC_TYPES)[number];

/** A record as observed in the past. */
export class HistoricDnsRecord {
  @IsString()
  name: string;

  @IsIn(HISTORIC_TYPES)
  type: HistoricType;

  /** Number of the type (IANA). */
  @IsInt()
  type_code: number;

  /** The address of an A or AAAA record. */
  @OptionalText()
  address?: string;

  /** The target of an NS or CNAME record. */
  @OptionalText()
  target?: string;

  /** The priority of an MX record, with `exchange`. */
  @IsOptional()
  @IsInt()
  priority?: number;

  @OptionalText()
  exchange?: string;

  /** The text of a TXT record; name server and mailbox of an SOA record. */
  @OptionalText()
  text?: string;
}

/** All records of a name at a time when one of them changed. */
export class DnsSnapshot {
  /** RFC 3339. */
  @IsISO8601()
  seen_at: string;

  /** Number of records of each type. */
  @IsObject()
  dns_types: Record<string, number>;

  @NestedList(() => HistoricDnsRecord)
  dns_records: HistoricDnsRecord[];
}

/** A record and the period in which it was observed. */
export class DnsStretch extends HistoricDnsRecord {
  @IsISO8601()
  first_seen: string;

  @IsISO8601()
  last_seen: string;

  /** When the record was first found missing; null while it exists, or if nobody has checked since. */
  @NullableTime()
  ended_at: string | null;

  /** The name of the record's source in `coverage`. */
  @IsString()
  source: string;
}

/** A name's DNS records over time, newest first. */
export class DnsHistoricalAnswer extends PagedAnswer {
  @IsString()
  domain_name: string;

  @IsString()
  domain_unicode: string;

  @IsIn(['snapshots', 'timeline'])
  view: string;

  /** Present with `view=snapshots`. */
  @IsOptional()
  @NestedList(() => DnsSnapshot)
  snapshots?: DnsSnapshot[];

  /** Present with `view=timeline`. */
  @IsOptional()
  @NestedList(() => DnsStretch)
  timeline?: DnsStretch[];
}

const PAGES = pagedSearch({ default: { credits: 2, pageSize: 100 } });

export const DNS_HISTORICAL = defineOperation({
  ...PAGES,
  name: 'dns.historical',
  summary: 'DNS records of a domain name over time',
  description:
    '`view=snapshots` returns all records of the name at each observed change. `view=timeline` returns each record with the period in which it was observed. Records of hosts below the name are not included. Records that only passive DNS has seen are in `timeline` alone, because the other records at that time are unknown.',
  method: 'GET',
  routes: [{ path: '/v2.0/dns/historical', version: 2 }],
  access: { kind: 'key', scope: 'history', class: 'heavy' },
  owner: { service: 'corpus', path: '/internal/dns/historical' },
  subject: 'domainName',
  parameters: {
    domainName: SEARCHED_NAME,
    type: {
      kind: listOf(['all', ...HISTORIC_TYPES]),
      about: 'Comma-separated record types',
      example: 'A,MX',
      default: ['all' as const],
    },
    view: {
      kind: oneOf(['snapshots', 'timeline']),
      about: 'All records at each change, or each record with its period',
      example: 'timeline',
      default: 'snapshots' as const,
    },
    ...SEARCHED_DAYS,
    format: FORMAT,
    ...PAGES.parameters,
  },
  answers: [{ type: 'application/json', of: DnsHistoricalAnswer }],
  problems: ['invalid_domain_name', ...SEARCH_PROBLEMS],
  examples: [
    {
      title: 'A name whose address has changed',
      parameters: { domainName: 'registered.test', type: 'A', view: 'timeline' },
      answer: {
        status: true,
        domain_name: 'registered.test',
        domain_unicode: 'registered.test',
        view: 'timeline',
        paging: {
          page: 1,
          page_size: 100,
          total_records: 2,
          total_is: 'exact',
          total_pages: 1,
          has_next: false,
          next_cursor: null,
        },
        timeline: [
          {
            name: 'registered.test',
            type: 'A',
            type_code: 1,
            address: '192.0.2.1',
            first_seen: '2025-05-10T11:00:00.000Z',
            last_seen: '2026-11-20T11:42:03.000Z',
            ended_at: null,
            source: 'fixtures',
          },
          {
            name: 'registered.test',
            type: 'A',
            type_code: 1,
            address: '192.0.2.7',
            first_seen: '2016-05-10T11:00:00.000Z',
            last_seen: '2025-05-10T11:00:00.000Z',
            ended_at: '2025-05-10T11:00:00.000Z',
            source: 'fixtures',
          },
        ],
        coverage: { has_data: true, sources: [] },
      },
    },
  ],
  fixtures: [
    { value: 'registered.test', answers: 'a name whose address has changed' },
    { value: 'available.test', answers: 'no records' },
  ],
});
