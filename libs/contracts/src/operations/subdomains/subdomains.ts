import { IsBoolean, IsISO8601, IsIn, IsString } from 'class-validator';
import { NestedList, NullableTime } from '../../members.js';
import { SEARCHED_DAYS, SEARCHED_NAME, SEARCH_PROBLEMS } from '../history/history-kinds.js';
import { oneOf } from '../kinds.js';
import { FORMAT } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { pagedSearch } from '../paging/paged-search.js';
import { PagedAnswer } from '../paging/paging-answer.js';

/** A host name below a domain name. */
export class Subdomain {
  @IsString()
  subdomain: string;

  @IsIn(['active', 'inactive'])
  status: string;

  @IsISO8601()
  first_seen: string;

  @IsISO8601()
  last_seen: string;

  /** When the host last had an address; null if only its name was observed. */
  @NullableTime()
  last_resolved: string | null;

  /** When the host was first observed without an address; null if unknown, and for an active host. */
  @NullableTime()
  inactive_from: string | null;

  /**
   * True if the host has only addresses that its zone's wildcard gives to every name; the host may then never have been
   * set up.
   */
  @IsBoolean()
  is_wildcard: boolean;
}

/** A zone that answers for every name below it. */
export class WildcardZone {
  /** `*.example.com`. */
  @IsString()
  name: string;

  @IsString({ each: true })
  addresses: string[];
}

/** Host names below a domain name. */
export class SubdomainsAnswer extends PagedAnswer {
  @IsString()
  domain_name: string;

  @IsString()
  domain_unicode: string;

  /** Zones that answer for every name below them, whether or not the name exists. */
  @NestedList(() => WildcardZone)
  wildcards: WildcardZone[];

  @NestedList(() => Subdomain)
  subdomains: Subdomain[];
}

const PAGES = pagedSearch({ default: { credits: 2, pageSize: 100 } });

export const SUBDOMAINS = defineOperation({
  ...PAGES,
  name: 'subdomains',
  summary: 'Host names below a domain name, active and inactive',
  description:
    'A host is active if it had an address within the last 7 days. A host of which only the name is known, such as from a certificate, counts as inactive; its `last_resolved` is null. A zone with a wildcard answers for every name: `wildcards` lists such zones, and hosts with only the addresses of a wildcard have `is_wildcard`. `after` and `before` filter by `first_seen`.',
  method: 'GET',
  routes: [
    { path: '/v2.0/subdomains', version: 2 },
    { path: '/v1.0/subdomains', version: 1, successor: '/v2.0/subdomains' },
  ],
  access: { kind: 'key', scope: 'subdomains', class: 'heavy' },
  owner: { service: 'corpus', path: '/internal/subdomains' },
  subject: 'domainName',
  parameters: {
    domainName: SEARCHED_NAME,
    status: {
      kind: oneOf(['active', 'inactive']),
      about: 'Only hosts with this status',
      example: 'active',
    },
    after: { ...SEARCHED_DAYS.after, about: 'Only hosts first seen on this day (UTC) or later' },
    before: { ...SEARCHED_DAYS.before, about: 'Only hosts first seen before this day (UTC)' },
    format: FORMAT,
    ...PAGES.parameters,
  },
  answers: [{ type: 'application/json', of: SubdomainsAnswer }],
  problems: ['invalid_domain_name', ...SEARCH_PROBLEMS],
  examples: [
    {
      title: 'The active hosts of a name',
      parameters: { domainName: 'registered.test', status: 'active' },
      answer: {
        status: true,
        domain_name: 'registered.test',
        domain_unicode: 'registered.test',
        wildcards: [],
        paging: {
          page: 1,
          page_size: 100,
          total_records: 1,
          total_is: 'exact',
          total_pages: 1,
          has_next: false,
          next_cursor: null,
        },
        subdomains: [
          {
            subdomain: 'www.registered.test',
            status: 'active',
            first_seen: '2025-05-10T11:00:00.000Z',
            last_seen: '2026-11-20T11:42:03.000Z',
            last_resolved: '2026-11-20T11:42:03.000Z',
            inactive_from: null,
            is_wildcard: false,
          },
        ],
        coverage: { has_data: true, sources: [] },
      },
    },
  ],
  fixtures: [
    { value: 'registered.test', answers: 'an active and an inactive host' },
    { value: 'available.test', answers: 'no hosts' },
  ],
});
