import { maskKeys } from '#libs/platform';
import { text } from '../kinds.js';
import type { ParameterKind } from '../parameter.js';

const FIXTURES = ['registered.test', 'redacted.test'];

/** Reads a search text. `registered.test` and `redacted.test` are fixtures. */
export function searchText(lengthMax: number): ParameterKind<string> {
  const isFixture = (given: string) => FIXTURES.includes(given.toLowerCase());
  return {
    ...text(lengthMax),
    // As for names: a pasted key is sent neither to the owner nor to the log.
    clean: (given) => maskKeys(given.trim().toWellFormed()),
    isReserved: isFixture,
    isFixture,
  };
}

export const SEARCH_FIXTURES = [
  { value: 'registered.test', answers: 'one result' },
  { value: 'redacted.test', answers: 'no result: the value is withheld' },
] as const;
