/** Control characters, invisible characters, and characters that change the direction of writing. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029\u115f\u1160\u3164]/gu;
const NOT_ASCII = /[^ -~]/gu;
const HEX_DIGITS = 4;

/** Returns text without control, invisible or bidirectional characters, and with single spaces. */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(/\s/gu, ' ').replace(UNSEEN, '').replace(/ +/g, ' ').trim();
}

/**
 * Returns a form that is equal for different spellings of a value: compatibility form (NFKC), lower case, single
 * spaces.
 */
export function plainForm(text: string): string {
  return visibleText(text.normalize('NFKC').toLowerCase());
}

/** Matches the joiners that labels may contain (RFC 5892 §A.1, A.2): never after a Latin letter. */
const JOINER = /(?<=[^ -~])([\u200c\u200d])/;

/** Returns the plain form of a text that is compared with labels, with the joiners that labels may contain. */
export function labelForm(text: string): string {
  const isJoiner = (place: number) => place % 2 === 1;
  const parts = text.split(JOINER);
  return parts.map((part, place) => (isJoiner(place) ? part : plainForm(part))).join('');
}

/**
 * Encodes each character beyond ASCII as `u` and at least four hexadecimal digits. Trigrams of collation "C" omit
 * non-ASCII characters, so the index could not find text in other scripts without this encoding.
 */
export function asciiForm(plain: string): string {
  return plain.replace(
    NOT_ASCII,
    (character) => `u${character.codePointAt(0)!.toString(16).padStart(HEX_DIGITS, '0')}`,
  );
}
