import { InvalidRequest } from '#libs/platform';
import { asciiForm, plainForm } from '../names/folded.js';

const ASTERISKS_MAX = 2;
/**
 * The minimum that a search must contain: three letters or digits in a row, or two characters of a script in which
 * words are that short (S103).
 */
const LITERAL = /[\p{L}\p{M}\p{N}]{3}|[\p{sc=Han}\p{sc=Hang}\p{sc=Hira}\p{sc=Kana}]{2}/u;

/** A search text, as patterns for PostgreSQL's LIKE. */
export interface SearchPattern {
  /** Matches folded texts by their trigrams. Finds everything that `exact` finds, and possibly more. */
  loose: string;
  /** Matches the texts themselves. */
  exact: string;
}

/**
 * Parses a text with wildcards: `*` for any text and `?` for one character. A text without wildcards may occur
 * anywhere. @param formOf returns the form of the texts that are searched.
 * @throws InvalidRequest for a text that would match too much (S103).
 */
export function searchPattern(field: string, text: string, formOf = plainForm): SearchPattern {
  const refuse = (message: string) => new InvalidRequest([{ field, message }]);
  const plain = formOf(text);
  const asterisks = plain.split('*').length - 1;
  if (asterisks > ASTERISKS_MAX) throw refuse(`must not contain more than ${ASTERISKS_MAX} "*"`);
  const literals = plain.split(/[*?]/);
  if (!literals.some((literal) => LITERAL.test(literal))) {
    throw refuse('must contain three letters or digits in a row');
  }
  const isAnywhere = !/[*?]/.test(plain);
  const around = isAnywhere ? '%' : '';
  // Folding turns one character beyond ASCII into several, so in the folded text `?` must match any number of
  // characters.
  const loose = escaped(asciiForm(plain)).replace(/[*?]/g, '%');
  const exact = escaped(plain).replaceAll('*', '%').replaceAll('?', '_');
  return { loose: `${around}${loose}${around}`, exact: `${around}${exact}${around}` };
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
