import { domainName, listOf } from '../kinds.js';
import { LIVE_PARAMETERS, fieldsOf } from '../live-parameters.js';
import { ipAddress } from '../numbers/number-kinds.js';
import { defineOperation } from '../operation.js';
import { DnsAnswer, NAME_RECORD_TYPES } from './dns-answer.js';

export const DNS_TYPE = {
  kind: listOf(['all', ...NAME_RECORD_TYPES]),
  about: 'Comma-separated record types, or `all`; an IP address is looked up for PTR records only',
  example: 'A,MX',
  default: ['all' as const],
};

export const DNS_PROBLEMS = [
  'resolver_unreachable',
  'resolver_timeout',
  'lookup_overloaded',
] as const;

export const DNS_LIVE = defineOperation({
  name: 'dns.live',
  summary: 'Live DNS records of a host name, or host names of an IP address',
  description:
    'Returns all requested types in one answer. "The name does not exist" and "no record of this type" are charged answers; a type that could not be queried is listed in `errors`, and so is a type with more than 256 records or 16 KiB (`too_many_records`).',
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
      title: 'All types of a name',
      parameters: { domainName: 'registered.test' },
      answer: {
        status: true,
        domain_name: 'registered.test',
        query_time: '2026-11-22 10:00:00',
        rcode: 'noerror',
        authenticated_data: true,
        dns_types: { A: 1, AAAA: 1, NS: 2, MX: 1, TXT: 1, SPF: 1, SOA: 1, CAA: 1 },
        dns_records: [
          {
            name: 'registered.test',
            type: 'A',
            type_code: 1,
            ttl: 300,
            raw_text: 'registered.test.\t300\tIN\tA\t192.0.2.1',
            address: '192.0.2.1',
          },
          {
            name: 'registered.test',
            type: 'AAAA',
            type_code: 28,
            ttl: 300,
            raw_text: 'registered.test.\t300\tIN\tAAAA\t2001:db8::1',
            address: '2001:db8::1',
          },
          {
            name: 'registered.test',
            type: 'NS',
            type_code: 2,
            ttl: 300,
            raw_text: 'registered.test.\t300\tIN\tNS\tns1.dns-one.example.',
            target: 'ns1.dns-one.example',
          },
          {
            name: 'registered.test',
            type: 'NS',
            type_code: 2,
            ttl: 300,
            raw_text: 'registered.test.\t300\tIN\tNS\tns2.dns-one.example.',
            target: 'ns2.dns-one.example',
          },
          {
            name: 'registered.test',
            type: 'MX',
            type_code: 15,
            ttl: 300,
            raw_text: 'registered.test.\t300\tIN\tMX\t10 mail.registered.test.',
            priority: 10,
            exchange: 'mail.registered.test',
          },
          {
            name: 'registered.test',
            type: 'TXT',
            type_code: 16,
            ttl: 300,
            raw_text: 'registered.test.\t300\tIN\tTXT\t"v=spf1 ip4:192.0.2.0/24 -all"',
            strings: ['v=spf1 ip4:192.0.2.0/24 -all'],
          },
          {
            name: 'registered.test',
            type: 'SPF',
            type_code: 99,
            ttl: 300,
            raw_text: 'registered.test.\t300\tIN\tSPF\t"v=spf1 ip4:192.0.2.0/24 -all"',
            strings: ['v=spf1 ip4:192.0.2.0/24 -all'],
          },
          {
            name: 'registered.test',
            type: 'SOA',
            type_code: 6,
            ttl: 300,
            raw_text:
              'registered.test.\t300\tIN\tSOA\tns1.dns-one.example. hostmaster.registered.test. 2026112201 7200 3600 1209600 300',
            mname: 'ns1.dns-one.example',
            rname: 'hostmaster.registered.test',
            serial: 2026112201,
            refresh: 7200,
            retry: 3600,
            expire: 1209600,
            minimum: 300,
          },
          {
            name: 'registered.test',
            type: 'CAA',
            type_code: 257,
            ttl: 300,
            raw_text: 'registered.test.\t300\tIN\tCAA\t0 issue "ca.example"',
            flags: 0,
            tag: 'issue',
            value: 'ca.example',
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
