import { NOT_ON_INVOICES } from '#libs/contracts';

const LENGTH_MAX = 300;

/**
 * Foreign text as one printed line: no control character or direction mark, no sign the font lacks (a
 * question mark stands in), and no more than a page can carry (S66, S80, S81).
 */
export function printable(text: string, lengthMax = LENGTH_MAX): string {
  const plain = text
    .slice(0, 2 * lengthMax)
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(/\p{C}/gu, '')
    .replace(NOT_ON_INVOICES, '?')
    .trim();
  const signs = [...plain];
  return signs.length <= lengthMax ? plain : `${signs.slice(0, lengthMax - 1).join('')}…`;
}
