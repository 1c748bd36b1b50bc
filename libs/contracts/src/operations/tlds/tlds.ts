import { defineOperation } from '../operation.js';
import { TldList } from './tld-coverage.js';

export const TLDS = defineOperation({
  name: 'tlds',
  summary: 'All top-level domains, with the protocols that each supports',
  method: 'GET',
  routes: [{ path: '/v2.0/tlds', version: 2 }],
  access: { kind: 'public' },
  owner: { service: 'lookup', path: '/internal/tlds' },
  parameters: {},
  answers: [{ type: 'application/json', of: TldList }],
  price: { per: 'free' },
  problems: [],
  examples: [
    {
      title: 'The whole list',
      parameters: {},
      answer: {
        status: true,
        counts: { tlds: 1436, rdap: 1198, whois: 1182, unsupported: 78 },
        tables: { rdap_days: 12, whois_days: 40 },
        tlds: [
          {
            tld: 'com',
            protocols: ['rdap', 'whois43'],
            rdap_server: 'https://rdap.verisign.com/com/v1/',
            whois_server: 'whois.verisign-grs.com',
            whois_reading: 'recorded',
          },
        ],
      },
    },
  ],
});
