import { type Plan, planOf } from './histories.js';

/**
 * Histories that once failed, and why. A seed stands for the same history only as long as the scenario
 * draws its chances in the same order: what must never come back has a specification of its own too.
 */
export const REGRESSIONS: readonly { plan: Plan; why: string }[] = [
  {
    plan: planOf(68, 'credits'),
    why: 'a draining gateway gave leases back before those who waited could spend from them, for ever',
  },
  { plan: planOf(139, 'credits'), why: 'the same, with the other gateway' },
  { plan: planOf(263, 'credits'), why: 'the same, after a crash' },
  {
    plan: planOf(1333, 'credits'),
    why: 'a gateway that had drained lent credits to a request that came after, and closed nothing',
  },
  { plan: planOf(6145, 'credits'), why: 'the same, with many requests' },
  {
    plan: planOf(35, 'events'),
    why: 'the simulated broker reordered what was on its way to a member, and lost an event',
  },
  { plan: planOf(181, 'events'), why: 'the same, with fewer faults' },
  {
    plan: planOf(214, 'events'),
    why: 'a handler failed for longer than its failed event is tried within a drain',
  },
];
