import type { DateValue } from '../../../record.js';
import { OFFSET_MINUTES_MAX, dayText, isCalendarDay, utcText, zonedText } from './civil-time.js';
import { monthNumber, zoneOffsetMinutes } from './date-words.js';

/** How to read a server's dates: the order of numeric dates, and the time zone. */
export interface DateStyle {
  /** The order of day, month and year where the digits alone are ambiguous. */
  order?: 'dmy' | 'mdy' | 'ymd';
  /** The minutes east of UTC for times that are printed without a zone. */
  offsetMinutes?: number;
  /** Whether the registry uses local time; the day is then returned as printed, with the offset. */
  keepsOffset?: boolean;
  twoDigitYears?: boolean;
}

/** A run of digits, a run of letters, or one other character. */
interface Token {
  text: string;
  kind: 'digits' | 'letters' | 'mark';
}

interface Day {
  year: number;
  month: number;
  day: number;
  /** The index of the token after the date. */
  next: number;
}

const DATE_LENGTH_MAX = 80;

/**
 * Parses a date as WHOIS servers print it: ISO 8601 and similar forms, `20260131`, `31-Jan-2026`, `Jan 31 2026`, `Sat
 * Jan 31 10:00:00 UTC 2026`, `31.01.2026`, `2026. 01. 31.`. A date such as `03/04/2026` is parsed only if the order of
 * its server is known; otherwise, the result is undefined, never a guess. Midnight in a registry's local time
 * (`00:00:00 JST`) is read as a day without a time, and so is a time in an unknown zone.
 */
export function parseDate(text: string, style: DateStyle): DateValue | undefined {
  const original = text.trim().slice(0, DATE_LENGTH_MAX);
  const tokens = tokenize(original);
  for (let index = 0; index < tokens.length; index += 1) {
    if (tokens[index].kind === 'mark') continue;
    const bound = readBefore(tokens, index);
    if (bound !== undefined) return { ...onlyDay(original, bound), isBound: true };
    const day = readDay(tokens, index, style);
    if (day === undefined) continue;
    return dateValue(original, tokens, day, style);
  }
  return undefined;
}

/**
 * Returns the order of a numeric date that is valid in only one order: `31/01/2026` has the day first. @returns
 * undefined if both orders or neither are valid.
 */
export function provenOrder(text: string): 'dmy' | 'mdy' | undefined {
  const numbers = tokenize(text.slice(0, DATE_LENGTH_MAX));
  if (numbers.length < 5 || numbers[0].kind !== 'digits' || !'/-'.includes(numbers[1].text)) {
    return undefined;
  }
  const [first, second, year] = [numbers[0], numbers[2], numbers[4]].map((it) => Number(it.text));
  if (numbers[4].text.length !== 4) return undefined;
  const isDmy = isCalendarDay(year, second, first);
  const isMdy = isCalendarDay(year, first, second);
  if (isDmy === isMdy) return undefined;
  return isDmy ? 'dmy' : 'mdy';
}

function dateValue(original: string, tokens: Token[], day: Day, style: DateStyle): DateValue {
  const clock = readClock(tokens, day.next);
  if (clock === undefined) {
    return onlyDay(original, day);
  }
  const zone = readZone(tokens, clock.next);
  if (zone === 'unknown') return onlyDay(original, day);
  const offsetMinutes = zone?.offsetMinutes ?? style.offsetMinutes ?? 0;
  // A number that is too large for an offset does not belong to the time.
  if (Math.abs(offsetMinutes) > OFFSET_MINUTES_MAX) return onlyDay(original, day);
  const isMidnight = clock.hour === 0 && clock.minute === 0 && clock.second === 0;
  if (isMidnight && offsetMinutes !== 0 && zone?.isNumeric !== true) {
    return onlyDay(original, day);
  }
  const time = { ...day, ...clock, offsetMinutes };
  const iso = style.keepsOffset === true ? zonedText(time) : utcText(time);
  return { original, iso, precision: 'second' };
}

function onlyDay(original: string, { year, month, day }: Day): DateValue {
  return { original, iso: dayText(year, month, day), precision: 'day' };
}

function readDay(tokens: Token[], at: number, style: DateStyle): Day | undefined {
  const token = tokens[at];
  if (token.kind === 'letters') return readMonthFirst(tokens, at);
  if (token.text.length === 8 || token.text.length === 14) return readCompact(tokens, at);
  const parts = readParts(tokens, at);
  if (parts === undefined) return undefined;
  const [first, second, third] = parts.texts;
  if (Number.isNaN(Number(second))) return readNamedMonth(first, second, third, parts.next);
  return readNumeric([first, second, third], parts, style);
}

/**
 * Reads three parts with separators: digits, then digits or a month's name, then digits; undefined for any other text.
 */
function readParts(
  tokens: Token[],
  at: number,
): { texts: [string, string, string]; separator: string; next: number } | undefined {
  const texts = [tokens[at].text];
  let index = at + 1;
  let separator = '';
  while (texts.length < 3) {
    const gap = skipMarks(tokens, index);
    const token = tokens[gap.next];
    if (token === undefined) return undefined;
    if (token.kind === 'letters' && isOrdinalSuffix(token.text) && texts.length === 1) {
      index = gap.next + 1;
      continue;
    }
    if (token.kind === 'letters' && (texts.length !== 1 || monthNumber(token.text) === undefined)) {
      if (token.text.toLowerCase() !== 'de') return undefined;
      index = gap.next + 1;
      continue;
    }
    separator = separator || gap.marks.trim() || gap.marks;
    texts.push(token.text);
    index = gap.next + 1;
  }
  return { texts: [texts[0], texts[1], texts[2]], separator, next: index };
}

function readNamedMonth(first: string, name: string, last: string, next: number): Day | undefined {
  const month = monthNumber(name);
  if (month === undefined) return undefined;
  const [year, day] = first.length === 4 ? [first, last] : [last, first];
  return day.length > 2 ? undefined : toDay(fullYear(year, true), month, Number(day), next);
}

function readNumeric(
  [first, second, third]: [string, string, string],
  parts: { separator: string; next: number },
  style: DateStyle,
): Day | undefined {
  if (!'-/.'.includes(parts.separator[0]) || second.length > 2) return undefined;
  if (first.length === 4) {
    return toDay(Number(first), Number(second), Number(third), parts.next);
  }
  if (first.length > 2 || third.length > 4 || third.length === 3) return undefined;
  if (style.order === 'ymd' && style.twoDigitYears === true) {
    return toDay(fullYear(first, true), Number(second), Number(third), parts.next);
  }
  const year = fullYear(third, style.twoDigitYears === true);
  const order = style.order ?? (parts.separator.startsWith('.') ? 'dmy' : undefined);
  const known = order ?? provenOrder(`${first}/${second}/${third}`) ?? sameEitherWay(first, second);
  if (known === undefined) return undefined;
  const [day, month] = known === 'mdy' ? [second, first] : [first, second];
  return toDay(year, Number(month), Number(day), parts.next);
}

function sameEitherWay(first: string, second: string): 'dmy' | undefined {
  return Number(first) === Number(second) ? 'dmy' : undefined;
}

/**
 * Reads `Jan 31 2026`, `January 31, 2026`, `Sat Jan 31 10:00:00 UTC 2026` and `Sat Jan 31 10:00:00 -0500 2026`;
 * undefined for any other text.
 */
function readMonthFirst(tokens: Token[], at: number): Day | undefined {
  const month = monthNumber(tokens[at].text);
  if (month === undefined) return undefined;
  const dayAt = skipMarks(tokens, at + 1).next;
  const day = tokens[dayAt];
  if (day === undefined || day.kind !== 'digits' || day.text.length > 2) return undefined;
  let next = dayAt + 1;
  if (tokens[next] !== undefined && isOrdinalSuffix(tokens[next].text)) next += 1;
  const yearAt = skipMarks(tokens, next).next;
  if (tokens[yearAt]?.kind === 'digits' && tokens[yearAt].text.length === 4) {
    return toDay(Number(tokens[yearAt].text), month, Number(day.text), yearAt + 1);
  }
  const later = tokens
    .slice(yearAt)
    .filter(({ kind, text }) => kind === 'digits' && text.length === 4);
  // The other four digits may be an offset: `Jan 31 10:00:00 -0500 2026`.
  const years = later.map(({ text }) => toDay(Number(text), month, Number(day.text), next));
  return years.find((it) => it !== undefined);
}

/**
 * Reads `before Aug-1996`, which registries print for registrations older than their records, as the first day of the
 * month; undefined for any other text.
 */
function readBefore(tokens: Token[], at: number): Day | undefined {
  if (tokens[at].text.toLowerCase() !== 'before') return undefined;
  const month = tokens[skipMarks(tokens, at + 1).next];
  const yearAt = skipMarks(tokens, tokens.indexOf(month) + 1).next;
  const year = tokens[yearAt];
  if (month?.kind !== 'letters' || year?.text.length !== 4) return undefined;
  return toDay(Number(year.text), monthNumber(month.text) ?? 0, 1, yearAt + 1);
}

/**
 * Reads `20260131` and `20260131235959`; the digits of the time become tokens for `readClock`.
 * @returns undefined if the digits are not a day.
 */
function readCompact(tokens: Token[], at: number): Day | undefined {
  const { text } = tokens[at];
  if (text.length === 14) {
    tokens.splice(
      at + 1,
      0,
      ...tokenize(`${text.slice(8, 10)}:${text.slice(10, 12)}:${text.slice(12)}`),
    );
  }
  return toDay(
    Number(text.slice(0, 4)),
    Number(text.slice(4, 6)),
    Number(text.slice(6, 8)),
    at + 1,
  );
}

function toDay(year: number, month: number, day: number, next: number): Day | undefined {
  return isCalendarDay(year, month, day) ? { year, month, day, next } : undefined;
}

function fullYear(text: string, mayBeShort: boolean): number {
  if (text.length !== 2 || !mayBeShort) return Number(text);
  return Number(text) + (Number(text) >= 70 ? 1900 : 2000);
}

/**
 * Reads `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fff`, possibly with `PM`, shortly after the date; undefined if there is no
 * time.
 */
function readClock(
  tokens: Token[],
  from: number,
): { hour: number; minute: number; second: number; next: number } | undefined {
  for (let at = from; at < Math.min(tokens.length - 2, from + 4); at += 1) {
    if (tokens[at].kind !== 'digits' || tokens[at + 1].text !== ':') continue;
    const [hour, minute] = [Number(tokens[at].text), Number(tokens[at + 2].text)];
    const hasSecond = tokens[at + 3]?.text === ':' && tokens[at + 4]?.kind === 'digits';
    const second = hasSecond ? Number(tokens[at + 4].text) : 0;
    if (!(hour < 24 && minute < 60 && second < 61)) return undefined;
    let next = at + (hasSecond ? 5 : 3);
    if (tokens[next]?.text === '.' && tokens[next + 1]?.kind === 'digits') next += 2;
    const half = tokens[skipMarks(tokens, next).next]?.text.toLowerCase();
    const isHalf = (half === 'am' || half === 'pm') && hour >= 1 && hour <= 12;
    const ofDay = isHalf ? (hour % 12) + (half === 'pm' ? 12 : 0) : hour;
    return { hour: ofDay, minute, second: Math.min(second, 59), next };
  }
  return undefined;
}

/**
 * Reads `Z`, `UTC`, `+01:00`, `+0100`, `+13`, `(GMT+0:00)`, `(JST)`, or the letters of a zone; undefined if there is
 * no zone. A word such as `ALMT` or `Asia/Almaty` directly after the time is an unknown zone.
 */
function readZone(
  tokens: Token[],
  from: number,
): { offsetMinutes: number; isNumeric: boolean } | 'unknown' | undefined {
  let named: number | undefined;
  const first = skipMarks(tokens, from).next;
  for (let at = from; at < Math.min(tokens.length, from + 6); at += 1) {
    const token = tokens[at];
    if (token.kind === 'letters') named = zoneOffsetMinutes(token.text) ?? named;
    else if ((token.text === '+' || token.text === '-') && tokens[at + 1]?.kind === 'digits') {
      const sign = token.text === '-' ? -1 : 1;
      const offset = offsetFrom(tokens[at + 1].text, tokens[at + 2]?.text, tokens[at + 3]?.text);
      return { offsetMinutes: sign * offset, isNumeric: true };
    }
  }
  if (named !== undefined) return { offsetMinutes: named, isNumeric: false };
  const isZone = /^[A-Z]{3,5}$/.test(tokens[first]?.text) || tokens[first + 1]?.text === '/';
  return isZone && tokens[first].kind === 'letters' ? 'unknown' : undefined;
}

function offsetFrom(digits: string, mark?: string, minutes?: string): number {
  if (digits.length > 4) return 0;
  if (digits.length > 2) return Number(digits.slice(0, -2)) * 60 + Number(digits.slice(-2));
  return Number(digits) * 60 + (mark === ':' ? Number(minutes) || 0 : 0);
}

function skipMarks(tokens: Token[], from: number): { marks: string; next: number } {
  let marks = '';
  let next = from;
  while (tokens[next]?.kind === 'mark') {
    marks += tokens[next].text;
    next += 1;
  }
  return { marks, next };
}

function isOrdinalSuffix(text: string): boolean {
  return ['st', 'nd', 'rd', 'th'].includes(text.toLowerCase());
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let last: Token | undefined;
  for (const character of text) {
    const kind = kindOf(character);
    if (last !== undefined && kind !== 'mark' && last.kind === kind) last.text += character;
    else tokens.push((last = { text: character, kind }));
  }
  return tokens;
}

function kindOf(character: string): Token['kind'] {
  if (character >= '0' && character <= '9') return 'digits';
  return character.toLowerCase() === character.toUpperCase() ? 'mark' : 'letters';
}
