import { defineOperation } from '../operation.js';
import { ProcessorsAnswer } from './processor-answer.js';

export const PROCESSORS = defineOperation({
  name: 'processors.list',
  summary: 'The payment processors to choose between, and how they differ',
  method: 'GET',
  routes: [{ path: '/api/processors', version: 2 }],
  access: { kind: 'session' },
  owner: { service: 'billing', path: '/internal/processors' },
  parameters: {},
  answers: [{ type: 'application/json', of: ProcessorsAnswer }],
  price: { per: 'free' },
  problems: [],
  examples: [
    {
      title: 'Two processors',
      parameters: {},
      answer: {
        processors: [
          {
            name: 'stripe',
            title: 'Stripe',
            pays_with: 'Cards, bank debits and wallets, on Stripe’s page.',
            changes_need_approval: false,
            differences: [],
          },
          {
            name: 'paypal',
            title: 'PayPal',
            pays_with: 'Your PayPal account, or a card on PayPal’s page.',
            changes_need_approval: true,
            differences: ['You approve each change of a plan on PayPal’s page.'],
          },
        ],
      },
    },
  ],
});
