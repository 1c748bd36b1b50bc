/**
 * Removes the spaces around a text, but no other white space. The time is linear in the length; a regular expression
 * for the trailing spaces would take quadratic time.
 */
export function withoutSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === ' ') start += 1;
  while (end > start && text[end - 1] === ' ') end -= 1;
  return text.slice(start, end);
}
