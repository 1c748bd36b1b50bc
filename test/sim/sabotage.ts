/**
 * Ways to break the code under test, in the simulation alone. Each takes away what one guarantee rests
 * on; a simulation that does not notice proves nothing. `shownBy` is a seed that is
 * known to notice and is tried first: a change of the code under test may draw chances in another order.
 */
export const SABOTAGES = {
  'no-inbox': { scenario: 'events', shownBy: 3, breaks: 'the inbox remembers nothing' },
  'no-sequences': {
    scenario: 'events',
    shownBy: 37,
    breaks: 'an older snapshot replaces a newer one',
  },
  'failed-hold-nobody': {
    scenario: 'events',
    shownBy: 41,
    breaks: 'deltas overtake a failed one',
  },
  'mark-before-send': {
    scenario: 'events',
    shownBy: 2,
    breaks: 'the relay marks rows before they are safe',
  },
  'no-order': { scenario: 'events', shownBy: 1, breaks: 'the relay sends the newest rows first' },
  'no-fence': {
    scenario: 'credits',
    shownBy: 1,
    breaks: 'a total is added as often as it is reported',
  },
  'no-late-debit': {
    scenario: 'credits',
    shownBy: 86,
    breaks: 'a total is refused after the close',
  },
  'no-account-lock': {
    scenario: 'credits',
    shownBy: 1,
    breaks: 'books of an account are opened side by side',
  },
  'no-journal': {
    scenario: 'credits',
    shownBy: 8,
    breaks: 'a restarted gateway knows nothing of the last run',
  },
  'no-lease-end': {
    scenario: 'credits',
    shownBy: 130,
    breaks: 'a gateway spends from a lease past its end',
  },
  'no-grace': { scenario: 'auth', shownBy: 1685, breaks: 'records are trusted for ever' },
  'no-overtaking': {
    scenario: 'auth',
    shownBy: 41,
    breaks: 'a load that news overtook is kept',
  },
} as const;

export type Sabotage = keyof typeof SABOTAGES;

const mending: (() => void)[] = [];

/**
 * When the history ends, `undo` puts back what was broken. Private methods are broken by `['name']`, which the
 * compiler checks: a sabotage of what is gone or renamed does not build.
 */
export function mendLater(undo: () => void): void {
  mending.push(undo);
}

/** Undoes every sabotage, the last first. */
export function mend(): void {
  while (mending.length > 0) mending.pop()!();
}
