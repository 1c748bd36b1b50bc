/**
 * Ways to break the code under test, in the simulation alone. Each takes away what one guarantee rests
 * on; a simulation that does not notice proves nothing.
 */
export const SABOTAGES = {
  'no-inbox': { scenario: 'events', breaks: 'the inbox remembers nothing' },
  'no-sequences': { scenario: 'events', breaks: 'an older snapshot replaces a newer one' },
  'parked-hold-nobody': { scenario: 'events', breaks: 'deltas overtake a parked one' },
  'mark-before-send': { scenario: 'events', breaks: 'the relay marks rows before they are safe' },
  'no-fence': { scenario: 'credits', breaks: 'a total is added as often as it is reported' },
  'no-late-debit': { scenario: 'credits', breaks: 'a total is refused after the close' },
  'no-journal': {
    scenario: 'credits',
    breaks: 'a restarted gateway knows nothing of the last run',
  },
  'no-lease-end': { scenario: 'credits', breaks: 'a gateway spends from a lease past its end' },
  'no-grace': { scenario: 'facts', breaks: 'facts are trusted for ever' },
  'no-overtaking': { scenario: 'facts', breaks: 'a load that news overtook is kept' },
} as const;

export type Sabotage = keyof typeof SABOTAGES;

const mending: (() => void)[] = [];

/** Puts something else in a method's place until the history ends. */
export function replaceMethod<Broken extends object, Name extends keyof Broken>(
  of: Broken,
  name: Name,
  replacementOf: (original: Broken[Name]) => Broken[Name],
): void {
  const original = of[name];
  of[name] = replacementOf(original);
  mending.push(() => (of[name] = original));
}

/** Undoes what was replaced, the last first. */
export function mend(): void {
  while (mending.length > 0) mending.pop()!();
}
