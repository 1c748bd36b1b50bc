import { text } from '../kinds.js';
import type { ParameterKind } from '../parameter.js';

const FIXTURES = ['registered.test', 'redacted.test'];

/** Reads a search text. `registered.test` and `redacted.test` are fixtures. */
export function searchText(lengthMax: number): ParameterKind<string> {
  const isFixture = (given: string) => FIXTURES.includes(given.toLowerCase());
  return {
    ...text(lengthMax),
    clean: (given) => given.trim().toWellFormed(),
    isReserved: isFixture,
    isFixture,
  };
}

export const SEARCH_FIXTURES = [
  { value: 'registered.test', answers: 'one result' },
  { value: 'redacted.test', answers: 'no result: the value is withheld' },
] as const;
