import { IsIn, IsISO8601, IsString } from 'class-validator';
import { IsCount, NestedList, OptionalText } from '../../members.js';
import { SEARCH_PROBLEMS } from '../history/history-kinds.js';
import { boolean, oneOf } from '../kinds.js';
import { FORMAT } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { pagedSearch } from '../paging/paged-search.js';
import { PagedAnswer } from '../paging/paging-answer.js';
import { reverseValue } from './reverse-value.js';

/** Types whose records point to an address, a host or a text. */
export const REVERSE_TYPES = ['A', 'AAAA', 'MX', 'NS', 'SOA', 'CNAME', 'TXT'] as const;

/** A name with the record that matches the search. */
export class ReverseDnsRecord {
  @IsString()
  domain_name: string;

  @IsIn(REVERSE_TYPES)
  type: string;

  /**
   * The record's data: an address, a host or a text. An MX record's data includes the priority, an SOA record's the
   * mailbox.
   */
  @IsString()
  value: string;

  /** The requested address, if the record reaches it through a host. */
  @OptionalText()
  ip_address?: string;

  @IsISO8601()
  first_seen: string;

  @IsISO8601()
  last_seen: string;
}

/** The number of names with an address. */
export class AddressCount {
  @IsString()
  ip_address: string;

  /** The number of names, counted up to 10,000. */
  @IsCount()
  names: number;
}

/** Names whose records contain an address, a block, a host or a text. */
export class DnsReverseAnswer extends PagedAnswer {
  @IsString()
  value: string;

  @IsIn(REVERSE_TYPES)
  type: string;

  /** How many names have each address of this page, for A and AAAA. */
  @NestedList(() => AddressCount)
  addresses: AddressCount[];

  @NestedList(() => ReverseDnsRecord)
  domains: ReverseDnsRecord[];
}

const PAGES = pagedSearch({ default: { credits: 5, pageSize: 100 } });

export const DNS_REVERSE = defineOperation({
  ...PAGES,
  name: 'dns.reverse',
  summary:
    'Domain names whose DNS records contain an address, an address block, a host name or a text',
  description:
    '`type` decides what `value` may be. `A` and `AAAA` take an address or an address block (at most /16, or /32 for IPv6). `MX`, `NS` and `SOA` take a host name, or an address of such a host. `CNAME` takes a host name, and `TXT` takes a part of the text. `addresses` says how many names share each address on the page.',
  method: 'GET',
  routes: [
    {
      path: '/v2.0/dns/reverse',
      version: 2,
      when: { parameter: 'type', value: 'A', further: REVERSE_TYPES.slice(1) },
    },
  ],
  access: { kind: 'key', scope: 'reverse', class: 'heavy' },
  owner: { service: 'corpus', path: '/internal/dns/reverse' },
  subject: 'value',
  parameters: {
    value: {
      kind: reverseValue(),
      about: 'An IP address, an address block or a host name; with `type=TXT`, a text',
      example: '192.0.2.1',
      isRequired: true,
    },
    type: {
      kind: oneOf(REVERSE_TYPES),
      about: 'Record type; `PTR` looks up the host names of one address instead',
      example: 'A',
      isRequired: true,
    },
    current: {
      kind: boolean(),
      about: 'Only records that exist now; `false` includes earlier ones',
      example: 'false',
      default: true,
    },
    format: FORMAT,
    ...PAGES.parameters,
  },
  answers: [{ type: 'application/json', of: DnsReverseAnswer }],
  problems: [...SEARCH_PROBLEMS],
  examples: [
    {
      title: 'Names with an address',
      parameters: { value: '192.0.2.1', type: 'A' },
      answer: {
        status: true,
        value: '192.0.2.1',
        type: 'A',
        addresses: [{ ip_address: '192.0.2.1', names: 1 }],
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
            domain_name: 'registered.test',
            type: 'A',
            value: '192.0.2.1',
            first_seen: '2025-05-10T11:00:00.000Z',
            last_seen: '2026-11-20T11:42:03.000Z',
          },
        ],
        coverage: { has_data: true, sources: [] },
      },
    },
  ],
  fixtures: [
    { value: '192.0.2.1', answers: 'one name' },
    { value: '198.51.100.0/24', answers: 'no names' },
  ],
});
