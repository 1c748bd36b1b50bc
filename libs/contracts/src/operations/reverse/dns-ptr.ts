import { DnsAnswer } from '../dns/dns-answer.js';
import { DNS_PROBLEMS } from '../dns/dns-live.js';
import { oneOf } from '../kinds.js';
import { LIVE_PARAMETERS, fieldsOf } from '../live-parameters.js';
import { ipAddress } from '../numbers/number-kinds.js';
import { defineOperation } from '../operation.js';

const ADDRESS = ipAddress();

export const DNS_PTR = defineOperation({
  name: 'dns.ptr',
  summary: 'Live host names of an IP address',
  description:
    'Returns the PTR records that the holder of the address publishes. Other values of `type` search the index for names whose records point to the address.',
  method: 'GET',
  routes: [
    {
      path: '/v2.0/dns/reverse',
      version: 2,
      when: { parameter: 'type', value: 'PTR', isDefault: true },
    },
  ],
  access: { kind: 'key', scope: 'dns', class: 'heavy' },
  owner: { service: 'lookup', path: '/internal/dns/ptr' },
  subject: 'value',
  parameters: {
    value: {
      kind: {
        ...ADDRESS,
        fault: (text) =>
          ADDRESS.fault(text) &&
          'must be an IPv4 or IPv6 address, unless "type" names other records',
      },
      about: 'An IPv4 or IPv6 address',
      example: '192.0.2.1',
      isRequired: true,
    },
    type: {
      kind: oneOf(['PTR']),
      about: 'Record type; `PTR` is the default if `value` is a single address',
      example: 'PTR',
      isForGateway: true,
    },
    ...LIVE_PARAMETERS,
    fields: fieldsOf('dns_records', DnsAnswer),
  },
  answers: [{ type: 'application/json', of: DnsAnswer }],
  price: { per: 'answer', credits: 1 },
  problems: ['bogon_address', 'name_not_public', ...DNS_PROBLEMS],
  examples: [
    {
      title: 'The name of an address',
      parameters: { value: '192.0.2.1' },
      answer: {
        status: true,
        ip_address: '192.0.2.1',
        query_time: '2026-11-22 10:00:00',
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
    },
  ],
  fixtures: [{ value: '192.0.2.1', answers: 'the host name of an IP address' }],
});
