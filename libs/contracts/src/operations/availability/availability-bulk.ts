import { ArrayMinSize, Matches } from 'class-validator';
import { parseDomainName } from '#libs/domain-names';
import { MayBeAbsent } from '../account/text-rules.js';
import { BULK_BODY_BYTES, BULK_ITEMS_MAX, BulkClosing, TextList } from '../bulk.js';
import { domainName } from '../kinds.js';
import { LIVE_PARAMETERS, fieldsOf } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import {
  AvailabilityItem,
  BulkAvailabilityAnswer,
  NameAvailability,
} from './availability-answer.js';

const TLD_LENGTH_MAX = 63;

/** Names, or suffixes under which the `domainName` of the query is checked. */
export class AvailabilityNames {
  @MayBeAbsent()
  @ArrayMinSize(1)
  @TextList()
  domainNames?: string[];

  @MayBeAbsent()
  @ArrayMinSize(1)
  @TextList(TLD_LENGTH_MAX)
  @Matches(/^\.?[^\s./@:]+(\.[^\s./@:]+)?$/u, {
    each: true,
    message: 'must be suffixes such as com or co.uk',
  })
  tld?: string[];
}

/**
 * Returns the names that consist of a label and each suffix; empty if `base` is empty, or is a name that is not valid.
 * @param base the label, or a name whose own suffix is ignored.
 */
export function namesUnder(base: string, suffixes: readonly string[]): string[] {
  const label = labelOf(base);
  return label ? suffixes.map((suffix) => `${label}.${suffix.replace(/^\./, '')}`) : [];
}

/** Returns the label of a name whose labels any of the dots of IDNA separates (UTS #46 §2.3), or a single label. */
function labelOf(base: string): string | undefined {
  const parsed = parseDomainName(base);
  if (parsed.ok) return parsed.domain.label;
  return /[.\u3002\uff0e\uff61]/.test(base) ? undefined : base;
}

export const AVAILABILITY_BULK = defineOperation({
  name: 'domain.availability.bulk',
  summary: 'Whether up to 100 domain names, or one name under up to 100 suffixes, are available',
  description:
    'Send either `domainNames` in the body, or `domainName` in the query string and `tld` in the body. With `Accept: application/x-ndjson`, each result is streamed as soon as it is ready.',
  method: 'POST',
  routes: [
    { path: '/v2.0/domain/availability', version: 2 },
    { path: '/v1.0/domain/availability', version: 1, successor: '/v2.0/domain/availability' },
  ],
  access: { kind: 'key', scope: 'availability', class: 'bulk' },
  owner: { service: 'lookup', path: '/internal/availability' },
  parameters: {
    domainName: {
      kind: domainName(),
      about: 'The name to check under each `tld`; its own suffix, if any, is ignored',
      example: 'registered.test',
      synonyms: ['domain'],
    },
    format: LIVE_PARAMETERS.format,
    max_credits: LIVE_PARAMETERS.max_credits,
    fresh: LIVE_PARAMETERS.fresh,
    fields: fieldsOf('domain,availability', NameAvailability, AvailabilityItem),
  },
  body: {
    of: AvailabilityNames,
    limitBytes: BULK_BODY_BYTES,
    itemsMax: BULK_ITEMS_MAX,
    example: { domainNames: ['registered.test', 'available.test'] },
    subjects: [
      { kind: domainName(), of: ({ domainNames = [] }: AvailabilityNames) => domainNames },
      {
        kind: domainName(),
        of: ({ tld = [] }: AvailabilityNames, { domainName: base }) =>
          namesUnder(typeof base === 'string' ? base : '', tld),
      },
    ],
  },
  takesIdempotencyKey: true,
  answers: [
    { type: 'application/json', of: BulkAvailabilityAnswer },
    { type: 'application/x-ndjson', of: AvailabilityItem, last: BulkClosing },
  ],
  price: {
    per: 'item',
    item: 'answered name',
    credits: 1,
    items: ({ body }) => {
      const { domainNames = [], tld = [] } = body as AvailabilityNames;
      return domainNames.length + tld.length;
    },
  },
  problems: ['invalid_domain_name'],
  examples: [
    {
      title: 'Two names',
      parameters: {},
      body: { domainNames: ['registered.test', 'available.test'] },
      answer: {
        status: true,
        domains: [
          {
            index: 0,
            status: true,
            domain: 'registered.test',
            availability: 'registered',
            domain_availability: false,
            method: 'rdap',
            confidence: 1,
            checked_at: '2026-11-20T11:42:03.000Z',
          },
          {
            index: 1,
            status: true,
            domain: 'available.test',
            availability: 'available',
            domain_availability: true,
            method: 'rdap',
            confidence: 0.99,
            checked_at: '2026-11-20T11:42:03.000Z',
          },
        ],
        summary: { delivered: 2, failed: 0 },
      },
    },
  ],
});
