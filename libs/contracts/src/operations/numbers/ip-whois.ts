import { listOf } from '../kinds.js';
import { LIVE_PARAMETERS, LIVE_PROBLEMS, fieldsOf } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { IpWhoisAnswer } from './number-answer.js';
import { addressBlock } from './number-kinds.js';

export const NUMBER_SECTIONS = ['raw', 'provenance'] as const;
export type NumberSection = (typeof NUMBER_SECTIONS)[number];

export const NUMBER_INCLUDE = {
  kind: listOf(NUMBER_SECTIONS),
  about: 'Comma-separated optional sections',
  example: 'raw,provenance',
  default: ['raw', 'provenance'] as NumberSection[],
  since: 2,
};

export const IP_WHOIS = defineOperation({
  name: 'ip.whois',
  summary: 'Live registration data of an IP address or CIDR block, from its regional registry',
  description:
    'Reserved ranges (private, documentation, multicast …) are rejected with 422 at no charge.',
  method: 'GET',
  routes: [
    { path: '/v2.0/ip-whois', version: 2 },
    { path: '/v1.0/ip-whois', version: 1, successor: '/v2.0/ip-whois' },
  ],
  access: { kind: 'key', scope: 'ip', class: 'live' },
  owner: { service: 'lookup', path: '/internal/ip-whois' },
  subject: 'ip',
  parameters: {
    ip: {
      kind: addressBlock(),
      about: 'An IPv4 or IPv6 address in standard notation, or a CIDR block',
      example: '192.0.2.1',
      isRequired: true,
    },
    ...LIVE_PARAMETERS,
    fields: fieldsOf('inet_nums,abuse_contacts', IpWhoisAnswer),
    include: NUMBER_INCLUDE,
  },
  answers: [{ type: 'application/json', of: IpWhoisAnswer }],
  price: { per: 'answer', credits: 1 },
  problems: ['bogon_address', ...LIVE_PROBLEMS],
  examples: [
    {
      title: 'An address',
      parameters: { ip: '192.0.2.1' },
      answer: {
        status: true,
        ip_address: '192.0.2.1',
        query_time: '2026-11-22 10:00:00',
        allocated: 'yes',
        inet_nums: [
          {
            start_ip: '192.0.2.0',
            end_ip: '192.0.2.255',
            cidr: ['192.0.2.0/24'],
            net_name: 'EXAMPLE-NET',
            description: ['Example network'],
          },
        ],
        origin_as_numbers: ['AS64496'],
        origin_as_from: 'registry',
        routing: { is_loaded: false, reason: 'No feed of prefixes and their origins is loaded.' },
        isp: { name: 'Example Networks', as_number: 'AS64496', found_in: 'as_registration' },
        abuse_contacts: [{ email: 'abuse@example.net', found_in: 'rdap_role' }],
      },
    },
  ],
  fixtures: [
    { value: '192.0.2.1', answers: 'an address in an allocated block' },
    { value: '2001:db8::1', answers: 'the same for IPv6' },
    { value: '198.51.100.0/24', answers: '`"allocated": "no"`' },
    { value: '203.0.113.1', answers: '503 `upstream_throttled`, `Retry-After: 60`' },
  ],
});
