import { text } from '../kinds.js';
import { defineOperation } from '../operation.js';
import { TldAnswer } from './tld-coverage.js';

export const TLD = defineOperation({
  name: 'tlds.one',
  summary: 'The protocols that one top-level domain supports',
  method: 'GET',
  routes: [{ path: '/v2.0/tlds/{tld}', version: 2 }],
  access: { kind: 'public' },
  owner: { service: 'lookup', path: '/internal/tlds/{tld}' },
  parameters: {
    tld: {
      kind: text(63, { pattern: /^[^\s./]+$/u, rule: 'must be one label, without a dot' }),
      about: 'A top-level domain without its dot, in Unicode or as an A-label',
      example: 'com',
      in: 'path',
    },
  },
  answers: [{ type: 'application/json', of: TldAnswer }],
  price: { per: 'free' },
  problems: ['not_found'],
  examples: [
    {
      title: 'A top-level domain that supports both protocols',
      parameters: { tld: 'com' },
      answer: {
        status: true,
        tld: 'com',
        protocols: ['rdap', 'whois43'],
        rdap_server: 'https://rdap.verisign.com/com/v1/',
        whois_server: 'whois.verisign-grs.com',
        whois_reading: 'recorded',
        tables: { rdap_days: 12, whois_days: 40 },
      },
    },
  ],
});
