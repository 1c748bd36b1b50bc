import { defineOperation } from '../operation.js';
import { PriceList } from './price-list.js';

const LIMITS = { live: 10, bulk: 2, heavy: 2 };

export const PRICING = defineOperation({
  name: 'pricing',
  summary: 'Credit packages, plans, rate limits and the price of each operation',
  method: 'GET',
  routes: [{ path: '/v2.0/pricing', version: 2 }],
  access: { kind: 'public' },
  owner: { service: 'gateway', path: '/pricing' },
  parameters: {},
  answers: [{ type: 'application/json', of: PriceList }],
  price: { per: 'free' },
  problems: [],
  examples: [
    {
      title: 'The price list, shortened',
      parameters: {},
      answer: {
        status: true,
        catalogue_version: '2026-11',
        currency: 'USD',
        trial: {
          credits: 500,
          limits: LIMITS,
          monitors: { domain: 1, brand: 0, registrant: 0 },
          keys: 1,
        },
        tiers: [
          {
            name: '5K',
            credits: 5_000,
            package_micros: 19_000_000,
            monthly_micros: 10_000_000,
            yearly_micros: 99_600_000,
            limits: { live: 20, bulk: 5, heavy: 3 },
            monitors: { domain: 5, brand: 1, registrant: 1 },
            keys: 2,
          },
        ],
        rate_limit_unit: {
          limits: { live: 50, bulk: 12, heavy: 6 },
          monthly_micros: 20_000_000,
          yearly_micros: 199_200_000,
          units_max: 20,
        },
        domainer: [
          {
            name: 'Domainer Names',
            plan_datasets: ['names'],
            monthly_micros: 29_000_000,
            yearly_micros: 288_840_000,
          },
        ],
        operations: [{ operation: 'whois.live', per: 'answer', credits: 1, class: 'live' }],
      },
    },
  ],
});
