import { isId } from '#libs/platform';

/** Characters that mail programs and tables add around copied text. */
const AROUND = /^[\s\p{Cf}<("'`]+|[\s\p{Cf}>)"'`.,;]+$/gu;
const NAMED_ADDRESS = /<([^<>\s]+@[^<>\s]+)>/;

/**
 * Normalises a search text, because text that an operator copies from an e-mail may have spaces, brackets or capitals.
 */
export function searchedText(typed: string): string {
  const [, address] = NAMED_ADDRESS.exec(typed) ?? [];
  const text = (address ?? typed).replaceAll(AROUND, '').replace(/^mailto:/i, '');
  if (text.includes('@') || isId(text.toLowerCase() as unknown)) return text.toLowerCase();
  return /^[a-z]{2,4}-\d{4}-\d+$/i.test(text) ? text.toUpperCase() : text;
}
