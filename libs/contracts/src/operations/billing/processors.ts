import { dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { ProcessorsAnswer } from './processor-answer.js';

export const PROCESSORS = defineOperation({
  ...dashboardCall('billing', 'GET /api/processors'),
  name: 'processors.list',
  summary: 'The available payment processors and their differences',
  answers: [{ type: 'application/json', of: ProcessorsAnswer }],
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
            pays_with: 'Cards and wallets on Stripe’s page; credits also by bank debit.',
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
