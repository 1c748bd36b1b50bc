import { isISO31661Alpha2 } from 'class-validator';

const NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const LETTERS = Array.from({ length: 26 }, (_, place) => String.fromCodePoint(65 + place));

/** Every country (ISO 3166-1, two letters) with its English name, sorted by name. */
export const COUNTRIES: readonly (readonly [code: string, name: string])[] = LETTERS.flatMap(
  (first) => LETTERS.map((second) => first + second),
)
  .filter((code) => isISO31661Alpha2(code))
  .map((code) => [code, NAMES.of(code) ?? code] as const)
  .toSorted(([, a], [, b]) => a.localeCompare(b, 'en'));
