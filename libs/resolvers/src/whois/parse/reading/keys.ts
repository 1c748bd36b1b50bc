export interface KeyedValue {
  /** The key, normalised by `normalizeKey`. */
  key: string;
  value: string;
  /** Whether the key is in brackets (`[Holder]`), which makes it a header, whatever its text. */
  bracketed: boolean;
  /** Whether no space follows the colon, as in `2001:db8::1`. Then only a known key counts as a key. */
  tight: boolean;
}

const KEY_LENGTH_MAX = 80;
const REMARK_END_MAX = 240;

/**
 * Returns the spelling under which a key is looked up: lower case, no accents, no padding dots, `-` and `_` as spaces,
 * without bracketed remarks, possessives and trailing numbers.
 */
export function normalizeKey(raw: string): string {
  const words = keyWords(withoutAccents(raw.toLowerCase()));
  if (words.length > 1 && isItemLabel(words[0])) words.shift();
  while (words.length > 1 && isNumber(words[words.length - 1])) words.pop();
  if (words.length > 0) words[words.length - 1] = withoutTrailingDigits(words[words.length - 1]);
  return words.join(' ');
}

/** Reads `key: value`, `key....: value`, `key:....value` and `[key] value`; undefined for any other line. */
export function readKeyedValue(body: string): KeyedValue | undefined {
  return readBracketed(body) ?? readColon(body) ?? readPadded(body);
}

/**
 * Reads `key<tab>value` and, with `isBySpaces`, a key and a value that two or more spaces separate; undefined for any
 * other line.
 */
export function readColumns(body: string, isBySpaces: boolean): KeyedValue | undefined {
  const tab = body.indexOf('\t');
  const spaces = isBySpaces ? body.indexOf('  ') : -1;
  const end = tab >= 0 && (spaces < 0 || tab < spaces) ? tab : spaces;
  if (end <= 0 || end > KEY_LENGTH_MAX) return undefined;
  return {
    key: normalizeKey(body.slice(0, end)),
    value: body.slice(end).trim(),
    bracketed: false,
    tight: false,
  };
}

/**
 * Reads `[Key] value`, which may follow an item letter, as JPRS and MYNIC print it: `a. [Key] value`; undefined for
 * any other line.
 */
function readBracketed(body: string): KeyedValue | undefined {
  let open = 0;
  if (body[0] !== '[') {
    open = body.indexOf('[');
    if (open < 2 || open > 4 || !isItemLetter(body.slice(0, open))) return undefined;
  }
  const close = body.indexOf(']', open);
  if (close < 0 || close - open > KEY_LENGTH_MAX) return undefined;
  const value = body.slice(close + 1).trim();
  return { key: normalizeKey(body.slice(open + 1, close)), value, bracketed: true, tight: false };
}

function readColon(body: string): KeyedValue | undefined {
  const colon = body.indexOf(':');
  const wide = colon < 0 || colon > KEY_LENGTH_MAX ? body.indexOf('：') : -1;
  const end = wide > 0 ? wide : colon;
  if (end > KEY_LENGTH_MAX) return readRemarked(body);
  if (end <= 0) return undefined;
  if (body.startsWith('//', end + 1) || isInsideNumber(body, end)) return undefined;
  const key = normalizeKey(body.slice(0, end));
  if (key === '') return undefined;
  const tight = end + 1 < body.length && body[end + 1] > ' ';
  return { key, value: withoutLeadingDots(body.slice(end + 1)), bracketed: false, tight };
}

/** Reads `Key (a remark of any length): value`; undefined for any other line. */
function readRemarked(body: string): KeyedValue | undefined {
  const open = body.indexOf(' (');
  const close = body.indexOf('):', open);
  if (open <= 0 || open > KEY_LENGTH_MAX || close < 0 || close > REMARK_END_MAX) return undefined;
  const value = withoutLeadingDots(body.slice(close + 2));
  return { key: normalizeKey(body.slice(0, open)), value, bracketed: false, tight: false };
}

/** True for the colon of a time or of an IPv6 address. */
function isInsideNumber(body: string, colon: number): boolean {
  if (!isNumber(body[colon - 1]) || !isNumber(body[colon + 1] ?? 'x')) return false;
  const word = body.slice(Math.max(0, colon - 4), colon);
  return isNumber(word.slice(word.lastIndexOf(' ') + 1));
}

/** Reads `key#. . . . value`, padded by the Java WHOIS server; undefined for any other line. */
function readPadded(body: string): KeyedValue | undefined {
  const end = body.indexOf('#.');
  if (end <= 0 || end > KEY_LENGTH_MAX) return undefined;
  const value = withoutLeadingDots(body.slice(end + 1));
  return { key: normalizeKey(body.slice(0, end)), value, bracketed: false, tight: false };
}

function isItemLetter(text: string): boolean {
  const letter = text.trim().replace('.', '');
  return letter.length === 1 && letter >= 'a' && letter <= 'z';
}

/** Removes the dots that pad a key; the dot of `.example` belongs to the value. */
function withoutLeadingDots(text: string): string {
  let start = 0;
  while (start < text.length && (text[start] === '.' || text[start] <= ' ')) start += 1;
  const isOfValue = text[start - 1] === '.' && text[start - 2] === ' ' && !text.startsWith('.');
  const dots = text.slice(0, start).replaceAll(' ', '').length;
  return text.slice(isOfValue && dots === 1 ? start - 1 : start).trimEnd();
}

function withoutAccents(text: string): string {
  let isAscii = true;
  for (let at = 0; at < text.length && isAscii; at += 1) isAscii = text.charCodeAt(at) < 128;
  if (isAscii) return text;
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

/** Returns the words of a key without parentheses: remarks such as `(dd/mm/yyyy)` do not belong to the key. */
function keyWords(text: string): string[] {
  const words: string[] = [];
  const isRemark = text.startsWith('(');
  let depth = 0;
  let word = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '(' && !isRemark) depth += 1;
    else if (character === ')' && !isRemark) depth = Math.max(0, depth - 1);
    else if (depth > 0) continue;
    else if (character === "'" && text[at + 1] === 's') at += 1;
    else if (character <= ' ' || "-_.*:’'()".includes(character)) {
      if (word !== '') words.push(word);
      word = '';
    } else word += character;
  }
  if (word !== '') words.push(word);
  return words;
}

/** True for the label of an item in a form: `2c.` before a key. */
function isItemLabel(word: string): boolean {
  if (word.length !== 2 && word.length !== 3) return false;
  const last = word[word.length - 1];
  return isNumber(word.slice(0, -1)) && last >= 'a' && last <= 'z';
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
