import { type Plan, planOf } from './histories.js';

/**
 * Histories that once failed, and why. A seed gives the same history only while the history draws its random numbers in
 * the same order, so whatever must never return also has its own spec.
 */
export const REGRESSIONS: readonly { plan: Plan; why: string }[] = [
  {
    plan: planOf(35),
    why: 'the simulated broker reordered messages on their way to a member, and lost an event',
  },
  { plan: planOf(181), why: 'the same, with fewer faults' },
  {
    plan: planOf(214),
    why: 'a handler failed for longer than its event is retried within a drain',
  },
];
