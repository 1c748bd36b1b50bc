import { domainName, listOf } from '../kinds.js';
import { LIVE_PARAMETERS, fieldsOf } from '../live-parameters.js';
import { ipAddress } from '../numbers/number-kinds.js';
import { defineOperation } from '../operation.js';
import { DnsAnswer, NAME_RECORD_TYPES } from './dns-answer.js';

/** `all`, or a list of types. */
export const DNS_TYPE = {
  kind: listOf(['all', ...NAME_RECORD_TYPES]),
  about: 'Comma-separated record types, or `all`; an IP address is looked up for PTR records only',
  example: 'A,MX',
  default: ['all' as const],
};

/** Rejections of all operations that query a resolver. */
export const DNS_PROBLEMS = [
  'resolver_unreachable',
  'resolver_timeout',
  'lookup_overloaded',
] as const;

export const DNS_LIVE = defineOperation({
  name: 'dns.live',
  summary: 'Live DNS records of a host name, or host names of an IP address',
  description:
    'Returns all requested types in one answer. "The name does not exist" and "no record of this type" are charged answers; a type that could not be queried is listed in `errors`.',
  method: 'GET',
  routes: [{ path: '/v2.0/dns/live', version: 2 }],
  access: { kind: 'key', scope: 'dns', class: 'live' },
  owner: { service: 'lookup', path: '/internal/dns/live' },
  subject: ['domainName', 'ipAddress'],
  parameters: {
    domainName: {
      kind: domainName(),
      about: 'A host name, a URL or an internationalised name; give this or `ipAddress`',
      example: 'registered.test',
      synonyms: ['domain'],
    },
    ipAddress: {
      kind: ipAddress(),
      about: 'An IPv4 or IPv6 address for reverse lookup; give this or `domainName`',
      example: '192.0.2.1',
    },
    type: DNS_TYPE,
    ...LIVE_PARAMETERS,
    fields: fieldsOf('dns_records', DnsAnswer),
  },
  answers: [{ type: 'application/json', of: DnsAnswer }],
  price: { per: 'answer', credits: 1 },
  problems: ['invalid_domain_name', 'name_not_public', 'bogon_address', ...DNS_PROBLEMS],
  examples: [
    {
      title: 'The address of a name',
      parameters: { domainName: 'registered.test', type: 'A' },
      answer: {
        status: true,
        domain_name: 'registered.test',
        query_time: '2026-11-22 10:00:00',
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
    },
  ],
  fixtures: [
    { value: 'registered.test', answers: 'a name with records of every type' },
    { value: 'available.test', answers: '`"rcode": "nxdomain"`' },
    { value: 'slow.test', answers: '504 `resolver_timeout`' },
    { value: '192.0.2.1', answers: 'the host name of an IP address' },
  ],
});
