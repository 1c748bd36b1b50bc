import { type Plan, planOf } from './histories.js';

/**
 * Histories that once failed, and why. A seed stands for the same history only as long as the history
 * draws its chances in the same order: what must never come back has a specification of its own too.
 */
export const REGRESSIONS: readonly { plan: Plan; why: string }[] = [
  {
    plan: planOf(35),
    why: 'the simulated broker reordered what was on its way to a member, and lost an event',
  },
  { plan: planOf(181), why: 'the same, with fewer faults' },
  {
    plan: planOf(214),
    why: 'a handler failed for longer than its failed event is tried within a drain',
  },
];
