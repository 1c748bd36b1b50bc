/** A line read as a key and its value. */
export interface KeyedValue {
  /** Normalised by `normalizeKey`. */
  key: string;
  value: string;
  /** `[Holder]`: a header by its form, whatever it says. */
  bracketed: boolean;
}

const KEY_LENGTH_MAX = 80;

/**
 * The one spelling under which a key is looked up: lower case, no accents, no padding dots,
 * `-` and `_` as spaces, without bracketed remarks, possessives and trailing numbers.
 */
export function normalizeKey(raw: string): string {
  const plain = raw
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll("'s", '')
    .replace(/[-_.*:’']/g, ' ');
  const words = withoutRemarks(plain)
    .split(' ')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  while (words.length > 1 && isNumber(words[words.length - 1])) words.pop();
  if (words.length > 0) words[words.length - 1] = withoutTrailingDigits(words[words.length - 1]);
  return words.join(' ');
}

/** Reads `key: value`, `key....: value`, `key:....value` and `[key] value`. */
export function readKeyedValue(body: string): KeyedValue | undefined {
  return readBracketed(body) ?? readColon(body);
}

/** Reads `key   value`: two spaces or a tab between, for the few registries that print columns. */
export function readColumns(body: string): KeyedValue | undefined {
  const tab = body.indexOf('\t');
  const spaces = body.indexOf('  ');
  const end = tab >= 0 && (spaces < 0 || tab < spaces) ? tab : spaces;
  if (end <= 0 || end > KEY_LENGTH_MAX) return undefined;
  return { key: normalizeKey(body.slice(0, end)), value: body.slice(end).trim(), bracketed: false };
}

/** `[Key] value`, with the item letter JPRS and MYNIC put before it: `a. [Key] value`. */
function readBracketed(body: string): KeyedValue | undefined {
  let open = 0;
  if (body[0] !== '[') {
    open = body.indexOf('[');
    if (open < 2 || open > 4 || !isItemLetter(body.slice(0, open))) return undefined;
  }
  const close = body.indexOf(']', open);
  if (close < 0 || close - open > KEY_LENGTH_MAX) return undefined;
  const value = body.slice(close + 1).trim();
  return { key: normalizeKey(body.slice(open + 1, close)), value, bracketed: true };
}

function readColon(body: string): KeyedValue | undefined {
  const colon = body.indexOf(':');
  const wide = colon < 0 || colon > KEY_LENGTH_MAX ? body.indexOf('：') : -1;
  const end = wide > 0 ? wide : colon;
  if (end <= 0 || end > KEY_LENGTH_MAX) return undefined;
  if (body.startsWith('//', end + 1)) return undefined;
  const key = normalizeKey(body.slice(0, end));
  if (key === '') return undefined;
  return { key, value: withoutLeadingDots(body.slice(end + 1)), bracketed: false };
}

function isItemLetter(text: string): boolean {
  const letter = text.trim().replace('.', '');
  return letter.length === 1 && letter >= 'a' && letter <= 'z';
}

function withoutLeadingDots(text: string): string {
  let start = 0;
  while (start < text.length && (text[start] === '.' || text[start] <= ' ')) start += 1;
  return text.slice(start).trimEnd();
}

/** Drops `(…)`: remarks such as `(dd/mm/yyyy)` or `(JST)` are no part of a key. */
function withoutRemarks(text: string): string {
  if (!text.includes('(')) return text;
  let depth = 0;
  let kept = '';
  for (const character of text) {
    if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) kept += character;
  }
  return kept.trim() === '' ? text.replace(/[()]/g, ' ') : kept;
}

function isNumber(word: string): boolean {
  for (const character of word) if (character < '0' || character > '9') return false;
  return true;
}

function withoutTrailingDigits(word: string): string {
  let end = word.length;
  while (end > 1 && word[end - 1] >= '0' && word[end - 1] <= '9') end -= 1;
  return word.slice(0, end);
}
