/**
 * Ways to break the code under test, which exist only in the simulation. Each removes the basis of one guarantee. A
 * simulation that does not detect this proves nothing.
 */
export const SABOTAGES = {
  'no-inbox': 'the inbox remembers nothing',
  'no-sequences': 'an older snapshot replaces a newer one',
  'failed-hold-nobody': 'deltas overtake a failed one',
  'mark-before-send': 'the relay marks rows before they are safe',
  'no-order': 'the relay sends the newest rows first',
} as const;

export type Sabotage = keyof typeof SABOTAGES;
