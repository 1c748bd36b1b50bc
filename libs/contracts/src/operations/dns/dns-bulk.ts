import { IsBoolean } from 'class-validator';
import { NestedList, OptionalText } from '../../members.js';
import { MayBeAbsent } from '../account/text-rules.js';
import { BULK_BODY_BYTES, BULK_ITEMS_MAX, BulkClosing, TextList, bulkItem } from '../bulk.js';
import { domainName } from '../kinds.js';
import { LIVE_PARAMETERS, fieldsOf } from '../live-parameters.js';
import { ipAddress } from '../numbers/number-kinds.js';
import { defineOperation } from '../operation.js';
import { DnsAnswer } from './dns-answer.js';
import { DNS_PROBLEMS, DNS_TYPE } from './dns-live.js';

const ADDRESS_LENGTH_MAX = 64;

/** Names and addresses in one request; names come first in the answer. */
export class BulkHosts {
  @MayBeAbsent()
  @TextList()
  domainNames?: string[];

  @MayBeAbsent()
  @TextList(ADDRESS_LENGTH_MAX)
  ipAddresses?: string[];
}

/** The records of one of the hosts, or the reason why there are none. */
export class BulkDnsItem extends bulkItem(
  DnsAnswer,
  'invalid_request',
  'invalid_domain_name',
  'bogon_address',
  'name_not_public',
  ...DNS_PROBLEMS,
) {
  /** A-labels; for a rejected item, the name as requested. */
  @OptionalText()
  domain_name?: string;

  /** In canonical form; for a rejected item, the address as requested. */
  @OptionalText()
  ip_address?: string;
}

/** The results, in the order of the request. */
export class BulkDnsAnswer extends BulkClosing {
  @IsBoolean()
  status: boolean;

  @NestedList(() => BulkDnsItem)
  bulk_dns_info: BulkDnsItem[];
}

export const DNS_BULK = defineOperation({
  name: 'dns.bulk',
  summary: 'Live DNS records of up to 100 host names, and the host names of up to 100 IP addresses',
  description:
    'Results follow the order of the request, host names before IP addresses. With `Accept: application/x-ndjson`, each result is streamed with its `index` as soon as it is ready, and a summary comes last. Only answered items are charged.',
  method: 'POST',
  routes: [{ path: '/v2.0/dns/bulk/live', version: 2 }],
  access: { kind: 'key', scope: 'dns', class: 'bulk' },
  owner: { service: 'lookup', path: '/internal/dns/bulk' },
  parameters: {
    type: DNS_TYPE,
    ...LIVE_PARAMETERS,
    fields: fieldsOf('dns_records', DnsAnswer, BulkDnsItem),
  },
  body: {
    of: BulkHosts,
    limitBytes: BULK_BODY_BYTES,
    itemsMax: BULK_ITEMS_MAX,
    example: { domainNames: ['registered.test'], ipAddresses: ['192.0.2.1'] },
    subjects: [
      { kind: domainName(), of: ({ domainNames = [] }: BulkHosts) => domainNames },
      { kind: ipAddress(), of: ({ ipAddresses = [] }: BulkHosts) => ipAddresses },
    ],
  },
  takesIdempotencyKey: true,
  answers: [
    { type: 'application/json', of: BulkDnsAnswer },
    { type: 'application/x-ndjson', of: BulkDnsItem, last: BulkClosing },
  ],
  price: {
    per: 'item',
    item: 'answered name or address',
    credits: 1,
    items: ({ body }) => {
      const { domainNames = [], ipAddresses = [] } = body as BulkHosts;
      return domainNames.length + ipAddresses.length;
    },
  },
  problems: [],
  examples: [
    {
      title: 'A name and an address',
      parameters: { type: 'A' },
      body: { domainNames: ['registered.test'], ipAddresses: ['192.0.2.1'] },
      answer: {
        status: true,
        bulk_dns_info: [
          {
            index: 0,
            status: true,
            domain_name: 'registered.test',
            query_time: '2026-11-20 11:42:03',
            rcode: 'noerror',
            authenticated_data: true,
            dns_types: { A: 1 },
            dns_records: [
              {
                name: 'registered.test',
                type: 'A',
                type_code: 1,
                ttl: 300,
                raw_text: 'registered.test.\t300\tIN\tA\t192.0.2.1',
                address: '192.0.2.1',
              },
            ],
            errors: {},
          },
          {
            index: 1,
            status: true,
            ip_address: '192.0.2.1',
            query_time: '2026-11-20 11:42:03',
            rcode: 'noerror',
            authenticated_data: true,
            dns_types: { PTR: 1 },
            dns_records: [
              {
                name: '1.2.0.192.in-addr.arpa',
                type: 'PTR',
                type_code: 12,
                ttl: 300,
                raw_text: '1.2.0.192.in-addr.arpa.\t300\tIN\tPTR\tregistered.test.',
                target: 'registered.test',
              },
            ],
            errors: {},
          },
        ],
        summary: { delivered: 2, failed: 0 },
      },
    },
  ],
});
