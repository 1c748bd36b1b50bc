/**
 * Removes the spaces around a text, and no other white space. The time grows with the length; that of a regular
 * expression for the spaces at the end grows with its square.
 */
export function withoutSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === ' ') start += 1;
  while (end > start && text[end - 1] === ' ') end -= 1;
  return text.slice(start, end);
}
