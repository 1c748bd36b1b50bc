import { domainName, listOf, oneOf } from '../kinds.js';
import { LIVE_PARAMETERS, LIVE_PROBLEMS, fieldsOf } from '../live-parameters.js';
import { defineOperation } from '../operation.js';
import { WhoisAnswer, WhoisAnswerV1 } from './whois-answer.js';
import { WHOIS_EXAMPLE } from './whois-example.js';

export const WHOIS_SECTIONS = ['raw', 'provenance', 'rdap'] as const;
export type WhoisSection = (typeof WHOIS_SECTIONS)[number];

export const WHOIS_LIVE = defineOperation({
  name: 'whois.live',
  summary: 'Live registration data of a domain name, from its registry and registrar',
  description:
    "A source queried on port 43 returns raw text. `whois_raw_domain` is the most detailed text: the registrar's, or the registry's if there is none. `registry_data.whois_raw_registry` (version 1: `whois_raw_registery`) is the registry's text. A source queried by RDAP returns no text: `include=rdap` adds its JSON to `rdap`, under the source's id in `provenance.sources`. If a text is longer than 256 KiB, or the server stopped sending, it is cut off and its source is marked `\"truncated\": true`.",
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
      about: 'A domain name, a URL or an internationalised name, up to 2,048 characters',
      example: 'registered.test',
      synonyms: ['domain'],
      isRequired: true,
    },
    whois: {
      kind: oneOf(['live']),
      about: 'Selects this operation in version 1; version 2 accepts it for old links',
      example: 'live',
      isForGateway: true,
    },
    ...LIVE_PARAMETERS,
    fields: fieldsOf('dates.created,registrant_contact', WhoisAnswer),
    include: {
      kind: listOf(WHOIS_SECTIONS),
      about: 'Comma-separated optional sections',
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
      answer: WHOIS_EXAMPLE,
    },
  ],
  fixtures: [
    {
      value: 'registered.test',
      answers: 'a registered name, with data from registry and registrar',
    },
    { value: 'available.test', answers: '`"domain_registered": "no"`' },
    { value: 'redacted.test', answers: 'a registered name with redacted contacts' },
    {
      value: 'conflict.test',
      answers: 'a name whose registry and registrar disagree on the expiry date',
    },
    { value: 'throttled.test', answers: '503 `upstream_throttled`, `Retry-After: 60`' },
    { value: 'slow.test', answers: 'a registered name, after 3 seconds' },
  ],
});
