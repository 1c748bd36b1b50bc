import { Type } from 'class-transformer';
import { IsBoolean, IsOptional, ValidateNested } from 'class-validator';
import { BULK_BODY_BYTES, BulkClosing, BulkItem, TextList } from '../bulk.js';
import { domainName } from '../kinds.js';
import { LIVE_PARAMETERS } from '../live-parameters.js';
import { ipAddress } from '../numbers/number-kinds.js';
import { defineOperation } from '../operation.js';
import { DNS_TYPE } from './dns-live.js';

const ADDRESS_LENGTH_MAX = 64;

/** Names and addresses that are asked about together; names come first in the answer. */
export class BulkHosts {
  @IsOptional()
  @TextList()
  domainNames?: string[];

  @IsOptional()
  @TextList(ADDRESS_LENGTH_MAX)
  ipAddresses?: string[];
}

/** Answers in the order of the request. */
export class BulkDnsAnswer extends BulkClosing {
  @IsBoolean()
  status: boolean;

  @ValidateNested({ each: true })
  @Type(() => BulkItem)
  bulk_dns_info: BulkItem[];
}

export const DNS_BULK = defineOperation({
  name: 'dns.bulk',
  summary: 'Live DNS records of up to 100 host names and host names of up to 100 IP addresses',
  description:
    'Results follow the order of the request, host names before IP addresses. With `Accept: application/x-ndjson`, each result is streamed with its `index` as soon as it is ready, and a summary comes last. Only answered items are charged.',
  method: 'POST',
  routes: [{ path: '/v2.0/dns/bulk/live', version: 2 }],
  access: { kind: 'key', scope: 'dns', class: 'bulk' },
  owner: { service: 'lookup', path: '/internal/dns/bulk' },
  parameters: {
    type: DNS_TYPE,
    ...LIVE_PARAMETERS,
    fields: { ...LIVE_PARAMETERS.fields, example: 'dns_records' },
  },
  body: {
    of: BulkHosts,
    limitBytes: BULK_BODY_BYTES,
    example: { domainNames: ['registered.test'], ipAddresses: ['192.0.2.1'] },
    subjects: [
      { kind: domainName(), of: ({ domainNames = [] }: BulkHosts) => domainNames },
      { kind: ipAddress(), of: ({ ipAddresses = [] }: BulkHosts) => ipAddresses },
    ],
  },
  takesIdempotencyKey: true,
  answers: [
    { type: 'application/json', of: BulkDnsAnswer },
    { type: 'application/x-ndjson', of: BulkItem, last: BulkClosing },
  ],
  price: {
    per: 'item',
    credits: 1,
    items: ({ body }) => {
      const { domainNames = [], ipAddresses = [] } = body as BulkHosts;
      return domainNames.length + ipAddresses.length;
    },
  },
  problems: ['lookup_overloaded'],
  examples: [
    {
      title: 'A name and an address',
      parameters: { type: 'A' },
      body: { domainNames: ['registered.test'], ipAddresses: ['192.0.2.1'] },
      answer: {
        status: true,
        bulk_dns_info: [
          { index: 0, status: true },
          { index: 1, status: true },
        ],
        summary: { delivered: 2, failed: 0 },
      },
    },
  ],
});
