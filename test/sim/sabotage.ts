/**
 * Ways to break the code under test, only in the simulation. Each removes the basis of one guarantee; a simulation that
 * does not notice proves nothing. `shownBy` is a seed that noticed it and is tried first; a change in the code under
 * test may change the order of random draws.
 */
export const SABOTAGES = {
  'no-inbox': { shownBy: 1, breaks: 'the inbox remembers nothing' },
  'no-sequences': { shownBy: 16, breaks: 'an older snapshot replaces a newer one' },
  'failed-hold-nobody': { shownBy: 5, breaks: 'deltas overtake a failed one' },
  'mark-before-send': { shownBy: 26, breaks: 'the relay marks rows before they are safe' },
  'no-order': { shownBy: 1, breaks: 'the relay sends the newest rows first' },
} as const;

export type Sabotage = keyof typeof SABOTAGES;
