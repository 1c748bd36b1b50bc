import { TIERS } from '../../catalogue/plans.js';
import { integer } from '../kinds.js';
import { defineOperation } from '../operation.js';
import { PackageQuote } from './price-list.js';

export const PRICING_QUOTE = defineOperation({
  name: 'pricing.quote',
  summary: 'The price of a credit package',
  description:
    'Packages come in steps of 1,000 credits, and of 10,000 above 100,000. Tax depends on the buyer and is added to the order.',
  method: 'GET',
  routes: [{ path: '/v2.0/pricing/quote', version: 2 }],
  access: { kind: 'public' },
  owner: { service: 'gateway', path: '/pricing/quote' },
  parameters: {
    credits: {
      kind: integer(TIERS[0].credits, TIERS.at(-1)!.credits),
      about: 'Number of credits',
      example: '25000',
      isRequired: true,
    },
  },
  answers: [{ type: 'application/json', of: PackageQuote }],
  price: { per: 'free' },
  problems: [],
  examples: [
    {
      title: '25,000 credits',
      parameters: { credits: '25000' },
      answer: {
        status: true,
        catalogue_version: '2026-11',
        currency: 'USD',
        credits: 25_000,
        net_micros: 81_430_000,
        net: '81.43',
        tier: '15K',
      },
    },
  ],
});
