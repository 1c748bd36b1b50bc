import { NOT_ON_INVOICES } from '#libs/contracts';

const LENGTH_MAX = 300;

/**
 * Turns untrusted text into one printable line: removes control characters and direction marks, and shortens the text
 * so that it fits on a page (S66, S80, S81). A question mark replaces each character that the font lacks.
 */
export function printable(text: string): string {
  const plain = text
    .slice(0, 2 * LENGTH_MAX)
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(/\p{C}/gu, '')
    .replace(NOT_ON_INVOICES, '?')
    .trim();
  const signs = [...plain];
  return signs.length <= LENGTH_MAX ? plain : `${signs.slice(0, LENGTH_MAX - 1).join('')}…`;
}
