import { boolean, domainName, integer } from '../kinds.js';
import { LIVE_PARAMETERS, fieldsOf } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { AvailabilityAnswer } from './availability-answer.js';

const SUGGESTIONS_MAX = 100;
const SUGGESTIONS_DEFAULT = 5;

export const AVAILABILITY = defineOperation({
  name: 'domain.availability',
  summary: 'Whether a domain name is available, with suggestions for similar available names',
  description:
    'A name is reported as available only if its registry does not know it and no name server is found to serve it. An answer of `unknown` is free. Every suggested name has been checked and is available; a request with `sug=true` checks the names again each time and is never a free repeat.',
  method: 'GET',
  routes: [
    { path: '/v2.0/domain/availability', version: 2 },
    { path: '/v1.0/domain/availability', version: 1, successor: '/v2.0/domain/availability' },
  ],
  access: { kind: 'key', scope: 'availability', class: 'live' },
  owner: { service: 'lookup', path: '/internal/availability' },
  subject: 'domainName',
  parameters: {
    domainName: {
      kind: domainName(),
      about: 'A domain name, a URL or an internationalised name',
      example: 'available.test',
      synonyms: ['domain'],
      isRequired: true,
    },
    sug: {
      kind: boolean(),
      about: 'Adds suggestions for similar names; each suggestion costs as much as one name',
      example: 'true',
      default: false,
    },
    count: {
      kind: integer(1, SUGGESTIONS_MAX),
      about: 'Number of suggestions',
      example: '5',
      default: SUGGESTIONS_DEFAULT,
    },
    format: LIVE_PARAMETERS.format,
    max_credits: LIVE_PARAMETERS.max_credits,
    fresh: LIVE_PARAMETERS.fresh,
    fields: fieldsOf('domain,availability', AvailabilityAnswer),
  },
  answers: [{ type: 'application/json', of: AvailabilityAnswer }],
  price: {
    per: 'item',
    item: 'answered name (suggestions included)',
    credits: 1,
    items: ({ values: { sug, count } }) => (sug === true ? 1 + Number(count) : 1),
  },
  problems: ['invalid_domain_name', 'lookup_overloaded'],
  examples: [
    {
      title: 'An available name',
      parameters: { domainName: 'available.test' },
      answer: {
        status: true,
        domain: 'available.test',
        availability: 'available',
        domain_availability: true,
        method: 'rdap',
        confidence: 0.99,
        checked_at: '2026-11-22T10:00:00.000Z',
      },
    },
  ],
  fixtures: [
    { value: 'available.test', answers: '`"availability": "available"`' },
    { value: 'registered.test', answers: '`"availability": "registered"`' },
    { value: 'throttled.test', answers: '`"availability": "unknown"`' },
  ],
});
