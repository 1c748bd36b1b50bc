import { LIVE_PARAMETERS, LIVE_PROBLEMS, fieldsOf } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { NUMBER_INCLUDE } from './ip-whois.js';
import { AsnWhoisAnswer } from './number-answer.js';
import { asNumber } from './number-kinds.js';

export const ASN_WHOIS = defineOperation({
  name: 'asn.whois',
  summary: 'Live registration data of an AS number, from its regional registry',
  description: 'Reserved AS numbers are rejected with 422 at no charge.',
  method: 'GET',
  routes: [{ path: '/v2.0/asn-whois', version: 2 }],
  access: { kind: 'key', scope: 'asn', class: 'live' },
  owner: { service: 'lookup', path: '/internal/asn-whois' },
  subject: 'asn',
  parameters: {
    asn: {
      kind: asNumber(),
      about: 'An AS number, with or without the prefix `AS`',
      example: 'AS64496',
      isRequired: true,
    },
    ...LIVE_PARAMETERS,
    fields: fieldsOf('as_name,organization', AsnWhoisAnswer),
    include: NUMBER_INCLUDE,
  },
  answers: [{ type: 'application/json', of: AsnWhoisAnswer }],
  price: { per: 'answer', credits: 1 },
  problems: ['bogon_address', ...LIVE_PROBLEMS],
  examples: [
    {
      title: 'An AS number',
      parameters: { asn: 'AS64496' },
      answer: {
        status: true,
        as_number: 'AS64496',
        query_time: '2026-11-22 10:00:00',
        allocated: 'yes',
        as_name: 'EXAMPLE-NET',
        description: ['Example network'],
        allocation_blocks: [{ start_as: 'AS64496', end_as: 'AS64496' }],
        allocations: {
          is_loaded: false,
          reason:
            "No files of the registries are loaded, so the holder's address blocks are unknown.",
        },
        routing: {
          is_loaded: false,
          reason: 'No routing feed is loaded, so routes and peers are unknown.',
        },
      },
    },
  ],
  fixtures: [
    { value: 'AS64496', answers: 'an allocated AS number' },
    { value: 'AS64511', answers: '`"allocated": "no"`' },
    { value: 'AS65551', answers: '503 `upstream_throttled`, `Retry-After: 60`' },
  ],
});
