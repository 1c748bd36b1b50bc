import {
  ERROR_PHRASES,
  FAILURE_PHRASES,
  FREE_STATUSES,
  NOT_FOUND_PHRASES,
  RESTRICTED_PHRASES,
  RULE_WORDS,
  THROTTLE_REQUESTS,
  THROTTLE_STATEMENTS,
} from './outcome-phrases.js';
import { commentBody, type Line } from './reading/lines.js';
import type { WorkMeter } from './reading/work-meter.js';

export type Restriction = keyof typeof RESTRICTED_PHRASES;

/** What an answer is, before anything is taken from it. */
export type Verdict =
  | { kind: 'found' }
  | { kind: 'throttled'; retryAfterSeconds?: number }
  | { kind: 'error' }
  | { kind: 'restricted'; restriction: Restriction }
  | { kind: 'not_found' };

/** Whether a record could be read from the text, and the statuses that stood in it. */
export interface Evidence {
  /** A date, registrar, name server or named contact was read. */
  isRecord: boolean;
  statuses: readonly string[];
}

/** An announcement is short and stands near the top or the end; the middle is small print. */
const LINE_LENGTH_MAX = 240;
const HEAD_LINES = 400;
const TAIL_LINES = 40;
const RETRY_SECONDS_MAX = 3600;
const PROSE_LINES_MIN = 3;
const PROSE_LENGTH_MIN = 50;

/**
 * Says what an answer is: throttled, restricted, not found, error or found. A record outweighs every phrase, because the small print below records speaks of limits and of
 * names that are not found; only a status that says "free" outweighs the record.
 */
export function classify(lines: readonly Line[], evidence: Evidence, meter: WorkMeter): Verdict {
  if (evidence.statuses.some((it) => FREE_STATUSES.includes(it.toLowerCase()))) {
    return { kind: 'not_found' };
  }
  if (evidence.isRecord) return { kind: 'found' };
  const said = announcements(lines, meter);
  if (said.some((it) => isThrottle(it))) {
    return { kind: 'throttled', retryAfterSeconds: retryAfter(said) };
  }
  if (said.some((it) => !it.isProse && matchesAny(it.text, FAILURE_PHRASES))) {
    return { kind: 'error' };
  }
  const statement = absenceAmong(said.filter((it) => !it.isProse));
  if (statement !== undefined) return statement;
  if (said.some((it) => matchesAny(it.text, THROTTLE_REQUESTS))) return { kind: 'throttled' };
  const absence = absenceAmong(said);
  if (absence !== undefined) return absence;
  if (said.some((it) => matchesAny(it.text, ERROR_PHRASES))) return { kind: 'error' };
  return evidence.statuses.length > 0 ? { kind: 'found' } : { kind: 'error' };
}

/** A line that may say something, as plain lower-case text. */
interface Announcement {
  text: string;
  /** In a paragraph of long lines: small print, which speaks of cases, not of this one. */
  isProse: boolean;
}

function announcements(lines: readonly Line[], meter: WorkMeter): Announcement[] {
  const near =
    lines.length <= HEAD_LINES + TAIL_LINES
      ? lines
      : [...lines.slice(0, HEAD_LINES), ...lines.slice(-TAIL_LINES)];
  const said: Announcement[] = [];
  let paragraph: Announcement[] = [];
  let isComment = false;
  for (const line of near) {
    const text = line.blank ? '' : plainText(line.comment ? commentBody(line) : line.body);
    meter.count(text.length);
    if (text === '' || line.comment !== isComment) {
      markProse(paragraph);
      paragraph = [];
      isComment = line.comment;
    }
    if (text === '') continue;
    const announcement = { text, isProse: false };
    said.push(announcement);
    paragraph.push(announcement);
  }
  markProse(paragraph);
  return said;
}

function markProse(paragraph: readonly Announcement[]): void {
  const long = paragraph.filter(({ text }) => text.length >= PROSE_LENGTH_MIN).length;
  if (paragraph.length < PROSE_LINES_MIN || long * 2 < paragraph.length) return;
  for (const announcement of paragraph) announcement.isProse = true;
}

/** Lower case, one space between words: `Status:   FREE` and `status: free` say the same. */
function plainText(body: string): string {
  return body
    .slice(0, LINE_LENGTH_MAX)
    .toLowerCase()
    .split(/[ \t]+/)
    .join(' ')
    .replace(' :', ':');
}

/** What one line, of whatever protocol, says of a name that is kept back; rules are no such line. */
export function announcedRestriction(line: string): Restriction | undefined {
  const text = plainText(line);
  return matchesAny(text, RULE_WORDS) ? undefined : restrictionIn(text);
}

function isThrottle({ text, isProse }: Announcement): boolean {
  if (matchesAny(text, RULE_WORDS)) return false;
  if (matchesAny(text, THROTTLE_STATEMENTS)) return true;
  return !isProse && matchesAny(text, THROTTLE_REQUESTS);
}

/** The first line that says the name is kept back or free. */
function absenceAmong(said: readonly Announcement[]): Verdict | undefined {
  for (const { text } of said) {
    const restriction = restrictionIn(text);
    if (restriction !== undefined) return { kind: 'restricted', restriction };
    if (matchesAny(text, NOT_FOUND_PHRASES)) return { kind: 'not_found' };
  }
  return undefined;
}

function restrictionIn(line: string): Restriction | undefined {
  if (matchesAny(line, SMALL_PRINT)) return undefined;
  for (const restriction of ['premium', 'blocked', 'reserved'] as const) {
    if (matchesAny(line, RESTRICTED_PHRASES[restriction])) return restriction;
  }
  return undefined;
}

/** Words of copyright lines, in which everything is reserved. */
const SMALL_PRINT = [
  'rights reserved',
  'copyright',
  'all rights',
  'right reserved',
  'reserves',
  'rights',
];

/** `wait 30 seconds`, `try again in 5 minutes`, at most an hour; undefined if none is named. */
function retryAfter(said: readonly Announcement[]): number | undefined {
  for (const { text } of said) {
    const words = text.split(' ');
    for (let at = 1; at < words.length; at += 1) {
      const unit = UNITS.find(([name]) => words[at].startsWith(name));
      const amount = Number(words[at - 1]);
      if (unit === undefined || !Number.isInteger(amount) || amount < 1) continue;
      return Math.min(RETRY_SECONDS_MAX, amount * unit[1]);
    }
  }
  return undefined;
}

const UNITS: readonly (readonly [string, number])[] = [
  ['second', 1],
  ['sec', 1],
  ['minute', 60],
  ['min', 60],
  ['hour', 3600],
];

function matchesAny(line: string, phrases: readonly string[]): boolean {
  return phrases.some((phrase) => matches(line, phrase));
}

function matches(line: string, phrase: string): boolean {
  if (phrase[0] === '^') {
    const rest = phrase.slice(1);
    const plus = rest.indexOf('+');
    if (plus > 0)
      return line.startsWith(rest.slice(0, plus)) && line.includes(rest.slice(plus + 1));
    return rest.endsWith('$') ? line === rest.slice(0, -1) : line.startsWith(rest);
  }
  const plus = phrase.indexOf('+');
  if (plus > 0)
    return line.includes(phrase.slice(0, plus)) && line.includes(phrase.slice(plus + 1));
  if (phrase.endsWith('$')) return line.endsWith(phrase.slice(0, -1));
  return line.includes(phrase);
}
