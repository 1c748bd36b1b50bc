const LENGTH_MAX = 300;

/** What the embedded font has signs for, besides spaces and punctuation. */
const UNPRINTABLE =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}\p{Zs}!-/:-@[-`{-~¡-¿‐-‧‰-›€₤₽№™©®×÷]/gu;

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
    .replace(UNPRINTABLE, '?')
    .trim();
  const signs = [...plain];
  return signs.length <= lengthMax ? plain : `${signs.slice(0, lengthMax - 1).join('')}…`;
}
