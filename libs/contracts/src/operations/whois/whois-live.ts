import { domainName, listOf, oneOf } from '../kinds.js';
import { LIVE_PARAMETERS, LIVE_PROBLEMS } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { WhoisAnswer, WhoisAnswerV1 } from './whois-answer.js';

/** Optional sections of the second version's answer. */
export const WHOIS_SECTIONS = ['raw', 'provenance', 'rdap'] as const;
export type WhoisSection = (typeof WHOIS_SECTIONS)[number];

export const WHOIS_LIVE = defineOperation({
  name: 'whois.live',
  summary: 'Registration data of a domain name, asked of its registry now',
  method: 'GET',
  routes: [
    { path: '/v2.0/whois/live', version: 2 },
    {
      path: '/v1.0/whois',
      version: 1,
      when: { parameter: 'whois', value: 'live' },
      answer: WhoisAnswerV1,
      successor: '/v2.0/whois/live',
    },
  ],
  access: { kind: 'key', scope: 'whois', class: 'live' },
  owner: { service: 'lookup', path: '/internal/whois/live' },
  subject: 'domainName',
  parameters: {
    domainName: {
      kind: domainName(),
      about: 'A name, a URL, or an internationalised name, up to 2,048 characters',
      example: 'registered.test',
      synonyms: ['domain'],
      isRequired: true,
    },
    whois: {
      kind: oneOf(['live']),
      about: 'Chooses this operation in version 1; version 2 accepts it in old links',
      example: 'live',
      isForGateway: true,
    },
    ...LIVE_PARAMETERS,
    include: {
      kind: listOf(WHOIS_SECTIONS),
      about: 'Optional sections by commas',
      example: 'raw,provenance',
      default: ['raw', 'provenance'],
      since: 2,
    },
  },
  answers: [{ type: 'application/json', of: WhoisAnswer }],
  price: { per: 'answer', credits: 1 },
  problems: ['invalid_domain_name', 'tld_unsupported', ...LIVE_PROBLEMS],
  examples: [
    {
      title: 'A registered name',
      parameters: { domainName: 'registered.test' },
      answer: {
        status: true,
        domain_name: 'registered.test',
        query_time: '2026-11-20 11:42:03',
        domain_registered: 'yes',
      },
    },
  ],
  fixtures: [
    { value: 'registered.test', answers: 'a registered name, from registry and registrar' },
    { value: 'available.test', answers: '`"domain_registered": "no"`' },
    { value: 'redacted.test', answers: 'a registered name whose contacts are withheld' },
    { value: 'conflict.test', answers: 'registry and registrar say different expiry dates' },
    { value: 'throttled.test', answers: '503 `upstream_throttled`, `Retry-After: 60`' },
    { value: 'slow.test', answers: 'a registered name, after 3 seconds' },
  ],
});
