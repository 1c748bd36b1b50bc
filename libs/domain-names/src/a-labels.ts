import { domainToASCII } from 'node:url';

/** The maximum length of a name in A-labels, without a trailing dot (RFC 1035 §2.3.4). */
export const NAME_LENGTH_MAX = 253;

/**
 * Whether a text is too long to be a name. Each character of a name in normal form takes at least one character in the
 * A-label, so this can be checked before the conversion. Decomposed letters make a name less than twice as long; a
 * longer text is rejected without normalization, which would also take quadratic time.
 */
export function isTooLongForName(text: string): boolean {
  const max = NAME_LENGTH_MAX + '.'.length;
  if (text.length <= max) return false;
  return text.length > 2 * max || [...text.normalize('NFC')].length > max;
}

/**
 * Converts a name to lower-case A-labels (UTS #46), as `domainToASCII` does; empty if the text is not a name. Texts
 * that are too long are not converted, because Punycode takes quadratic time.
 */
export function toALabels(text: string): string {
  return isTooLongForName(text) ? '' : domainToASCII(text);
}
