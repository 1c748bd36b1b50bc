import type { ContactField } from './contact-field.js';
import { countryCode } from './countries.js';
import { readCityLine } from './postal-address.js';

type Pair = readonly [ContactField, string];

const PHONE_LABELS = ['telephone', 'phone', 'tel', 'tlf', 'ph'];
const EMAIL_LABELS = ['email:', 'e-mail:', 'email', 'e-mail', 'mail:', 'email address:'];
const FAX_MARK = '(fax)';
const FAX_LABELS = ['facsimile', 'fax'];

/**
 * Reads the lines of an unlabelled contact. The form of each line is checked first (e-mail, telephone, country). Then
 * `order` names the leading lines; without it, the first is the name, unless `hasName`. The rest is the street, whose
 * last line is split if it looks like `City, ST 12345` or `12345 City`.
 */
export function readContactLines(
  lines: readonly string[],
  order: readonly ContactField[],
  hasName: boolean,
): Pair[] {
  const found: Pair[] = [];
  const plain: string[] = [];
  for (const line of lines) {
    const pairs = recognise(line, found);
    if (pairs.length > 0) found.push(...pairs);
    else plain.push(line);
  }
  takeCountry(plain, found);
  // A line with an e-mail address may already have named the person. Then the first line is the employer, unless it is
  // a street.
  const isNamed = !hasName && found.some(([field]) => field === 'name');
  const isEmployed = isNamed && plain.length > 1 && fromFirstDigit(plain[0]) === undefined;
  const first: ContactField[] = isEmployed ? ['organization'] : ['name'];
  for (const field of order.length > 0 ? order : first) {
    if ((hasName || (isNamed && order.length === 0)) && field === 'name') continue;
    if (field === 'handle' && !isHandle(plain[0] ?? '')) continue;
    const line = plain.shift();
    if (line === undefined) break;
    found.push([field, line]);
  }
  takeCityLine(plain, found);
  for (const line of plain) found.push(['street', line]);
  return found;
}

function recognise(line: string, found: readonly Pair[]): Pair[] {
  const email = emailIn(line);
  if (email !== undefined) {
    const rest = withoutEmail(line, email);
    const isName = rest.length > 2 && !EMAIL_LABELS.includes(rest.toLowerCase());
    return isName
      ? [
          ['email', email],
          ['name', rest],
        ]
      : [['email', email]];
  }
  const both = phoneAndFax(line);
  if (both.length > 0) return both;
  const labelled = labelledNumber(line);
  if (labelled !== undefined) return [labelled];
  if (!looksLikePhone(line)) return [];
  return [[found.some(([field]) => field === 'phone') ? 'fax' : 'phone', line]];
}

function emailIn(line: string): string | undefined {
  const text = line.replace(' [at] ', '@').replace(' AT ', '@');
  if (!text.includes('@')) return undefined;
  for (const word of text.split(/[\s<>()[\],;]/)) {
    if (word.includes('@') && word.includes('.')) return word.replace('mailto:', '');
  }
  return undefined;
}

function withoutEmail(line: string, email: string): string {
  const text = line.replace(' [at] ', '@').replace(' AT ', '@').replace(email, ' ');
  return text.replace(/[<>()[\]]/g, ' ').trim();
}

/** Reads `+58 241 8246437 (FAX) +58 241 8246438`; no values for any other line. */
function phoneAndFax(line: string): Pair[] {
  const mark = line.toLowerCase().indexOf(FAX_MARK);
  if (mark < 1) return [];
  const numbers = [line.slice(0, mark), line.slice(mark + FAX_MARK.length)].map((it) => it.trim());
  if (!numbers.every(looksLikePhone)) return [];
  return [
    ['phone', numbers[0]],
    ['fax', numbers[1]],
  ];
}

/** Recognises a labelled number: `Tel. +1…`, `(Fax) 603-…`, `fax: +359 …`; undefined for any other line. */
function labelledNumber(line: string): Pair | undefined {
  const lower = line.toLowerCase().replace(/[(]/g, '');
  for (const [field, labels] of [
    ['fax', FAX_LABELS],
    ['phone', PHONE_LABELS],
  ] as const) {
    const isBehind = labels.some((it) => lower.endsWith(` ${it})`));
    if (!isBehind && !labels.some((it) => lower.startsWith(it))) continue;
    const number = fromFirstDigit(isBehind ? line.slice(0, line.lastIndexOf('(')) : line);
    if (number !== undefined && looksLikePhone(number)) return [field, number];
  }
  return undefined;
}

function fromFirstDigit(line: string): string | undefined {
  for (let at = 0; at < line.length; at += 1) {
    if ((line[at] >= '0' && line[at] <= '9') || line[at] === '+') return line.slice(at).trim();
    if (line[at] === '(' && line[at + 1] >= '0' && line[at + 1] <= '9')
      return line.slice(at).trim();
  }
  return undefined;
}

function looksLikePhone(line: string): boolean {
  let digits = 0;
  for (const character of line) {
    if (character >= '0' && character <= '9') digits += 1;
    else if (!' +-().x/'.includes(character)) return false;
  }
  return digits >= 7 && digits <= 20 && (line[0] === '+' || line[0] === '(' || digits >= 9);
}

/** True for a word without lower-case letters and with a digit, such as the handle `ABC001-XY`. */
function isHandle(line: string): boolean {
  return !line.includes(' ') && fromFirstDigit(line) !== undefined && line === line.toUpperCase();
}

function takeCountry(plain: string[], found: Pair[]): void {
  if (plain.length < 2) return;
  const last = plain[plain.length - 1];
  const isCode = last.length === 2 && last === last.toUpperCase();
  if (!isCode && countryCode(last) === undefined) return;
  plain.pop();
  found.push(['country', last]);
}

function takeCityLine(plain: string[], found: Pair[]): void {
  const last = plain[plain.length - 1];
  if (last === undefined) return;
  const place = last.endsWith(',') ? { city: last.slice(0, -1) } : readCityLine(last);
  // If only one line remains, it may be the street, so it counts as a city only in the form with a state.
  if (place === undefined || (plain.length < 2 && !('state' in place))) return;
  plain.pop();
  for (const [part, value] of Object.entries(place)) found.push([part as ContactField, value]);
}
