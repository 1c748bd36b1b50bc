import { expect, it } from '@jest/globals';
import type { Outcome } from '#libs/contracts';
import type { RequestContext } from '../context/request-context.js';
import { creditsFor } from './credits-for.js';

const context = {
  cost: 3,
  route: { operation: { price: { per: 'answer', credits: 3 } } },
} as RequestContext;

it.each<[Outcome, number | undefined, number]>([
  ['delivered', undefined, 3],
  ['partial', undefined, 3],
  ['partial', 1, 1],
  ['partial', 5, 3],
  ['unreachable', 1, 0],
])(
  'an answer %s that may cost at most %s costs %s of 3 credits',
  (outcome, creditsMax, credits) => {
    const headers = { status: 200, outcome, servedFrom: 'live', creditsMax };
    expect(creditsFor({ headers, body: '' }, context)).toBe(credits);
  },
);
