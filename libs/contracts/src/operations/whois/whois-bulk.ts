import { ArrayMinSize, IsBoolean } from 'class-validator';
import { NestedList, OptionalText } from '../../members.js';
import { BULK_BODY_BYTES, BULK_ITEMS_MAX, BulkClosing, TextList, bulkItem } from '../bulk.js';
import { domainName, listOf } from '../kinds.js';
import { LIVE_PARAMETERS, LIVE_PROBLEMS, fieldsOf } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { WhoisAnswer } from './whois-answer.js';
import { WHOIS_SECTIONS } from './whois-live.js';

/** Several names in one request. */
export class BulkNames {
  @ArrayMinSize(1, { message: 'must name at least one domain' })
  @TextList()
  domainNames: string[];
}

/** The answer about one of the names, or the reason why there is none. */
export class BulkWhoisItem extends bulkItem(
  WhoisAnswer,
  'invalid_domain_name',
  'tld_unsupported',
  ...LIVE_PROBLEMS,
) {
  /** A-label of the registrable name; for a rejected item, the name as requested. */
  @OptionalText()
  domain_name?: string;
}

/** The results, in the order of the request. */
export class BulkWhoisAnswer extends BulkClosing {
  @IsBoolean()
  status: boolean;

  @NestedList(() => BulkWhoisItem)
  bulk_whois_response: BulkWhoisItem[];
}

export const WHOIS_BULK = defineOperation({
  name: 'whois.bulk',
  summary: 'Live registration data of up to 100 domain names',
  description:
    'Results follow the order of the request. With `Accept: application/x-ndjson`, each result is streamed with its `index` as soon as it is ready, and a summary comes last. Only answered names are charged.',
  method: 'POST',
  routes: [
    { path: '/v2.0/bulkwhois/live', version: 2 },
    { path: '/v1.0/bulkwhois/live', version: 1, successor: '/v2.0/bulkwhois/live' },
    // The path in the service whose clients version 1 is for.
    { path: '/v1.0/bulkwhois', version: 1, successor: '/v2.0/bulkwhois/live' },
  ],
  access: { kind: 'key', scope: 'bulk', class: 'bulk' },
  owner: { service: 'lookup', path: '/internal/whois/bulk' },
  parameters: {
    ...LIVE_PARAMETERS,
    fields: fieldsOf('dates.created,registrant_contact', WhoisAnswer, BulkWhoisItem),
    include: {
      kind: listOf(WHOIS_SECTIONS),
      about: 'Comma-separated optional sections',
      example: 'provenance',
      default: ['provenance' as const],
      since: 2,
    },
  },
  body: {
    of: BulkNames,
    limitBytes: BULK_BODY_BYTES,
    itemsMax: BULK_ITEMS_MAX,
    example: { domainNames: ['registered.test', 'available.test'] },
    subjects: [{ kind: domainName(), of: ({ domainNames }: BulkNames) => domainNames }],
  },
  takesIdempotencyKey: true,
  answers: [
    { type: 'application/json', of: BulkWhoisAnswer },
    { type: 'application/x-ndjson', of: BulkWhoisItem, last: BulkClosing },
  ],
  price: {
    per: 'item',
    item: 'answered name',
    credits: 1,
    items: ({ body }) => (body as BulkNames).domainNames.length,
  },
  problems: [],
  examples: [
    {
      title: 'Two names',
      parameters: {},
      body: { domainNames: ['registered.test', 'throttled.test'] },
      answer: {
        status: true,
        bulk_whois_response: [
          {
            index: 0,
            status: true,
            domain_name: 'registered.test',
            query_time: '2026-11-20 11:42:03',
            domain_registered: 'yes',
          },
          {
            index: 1,
            domain_name: 'throttled.test',
            status: false,
            status_code: 503,
            code: 'upstream_throttled',
            message:
              'The limit of queries to the registry is reached at the moment. Nothing was charged.',
          },
        ],
        summary: { delivered: 1, failed: 1 },
      },
    },
  ],
});
