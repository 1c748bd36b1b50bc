import type { Line } from '../reading/lines.js';
import type { WorkMeter } from '../reading/work-meter.js';
import { absenceIn, type AbsenceQuestion } from './absence/absence.js';
import { announcements, plainText, type Announcement } from './announcements.js';
import { spellingsOf, withoutNames } from './asked-name.js';
import { isHoldingStatus } from '../reading/holding-statuses.js';
import { isLimitNotice } from './limit-notices.js';
import { matchesAny } from './phrases.js';
import {
  ERROR_PHRASES,
  FAILURE_PHRASES,
  RULE_WORDS,
  THROTTLE_REQUESTS,
  THROTTLE_STATEMENTS,
} from './refusals.js';
import { restrictionIn, type Restriction } from './restrictions.js';
import { statementFor, type ServerStatements } from './server-statements.js';

export type Verdict =
  | { kind: 'found' }
  | { kind: 'throttled'; retryAfterSeconds?: number }
  | { kind: 'error' }
  | { kind: 'restricted'; restriction: Restriction }
  | { kind: 'not_found' };

export interface Evidence {
  question: AbsenceQuestion;
  recordDomain?: string;
  /** Whether the text ends within a line. */
  isOpenEnded?: boolean;
  isRecord: boolean;
  /** Whether no more than an expiry date was read, as from an application for a name. */
  isThin: boolean;
  /**
   * Whether weaker data was read, such as a handle or an e-mail address, which an answer about an unregistered name
   * does not contain.
   */
  isTrace: boolean;
  statuses: readonly string[];
  server: ServerStatements;
}

const RETRY_SECONDS_MAX = 3600;

/**
 * Classifies an answer as throttled, restricted, not found, error or found. A record overrides every phrase, because
 * the small print below it mentions limits and names that are not found, and the holder of a name may have written
 * "available" into it. "Not found" must be stated in a form that this server is known to use, in an answer that
 * otherwise contains only small print. Any other answer without a record is an error.
 */
export function classify(lines: readonly Line[], evidence: Evidence, meter: WorkMeter): Verdict {
  if (evidence.isRecord && !evidence.isThin) return { kind: 'found' };
  const names = spellingsOf(evidence.question.domain);
  const said = announcements(lines, meter).map((it) => ({
    ...it,
    text: withoutNames(it.text, names),
  }));
  if (evidence.isRecord) return listedRestriction(said, evidence) ?? { kind: 'found' };
  const absentAt = absenceIn(lines, evidence.question);
  const statement = statementAmong(said, evidence.server);
  if (absentAt !== undefined && !(statement !== undefined && statement.line < absentAt)) {
    return absenceUnlessDoubted(said, absentAt, evidence);
  }
  if (said.some((it) => isThrottle(it, evidence.server))) {
    return { kind: 'throttled', retryAfterSeconds: retryAfter(said) };
  }
  if (said.some((it) => !it.isProse && matchesAny(it.text, FAILURE_PHRASES))) {
    return { kind: 'error' };
  }
  if (statement !== undefined) return statement;
  if (said.some((it) => matchesAny(it.text, THROTTLE_REQUESTS) || isLimitNotice(it))) {
    return { kind: 'throttled' };
  }
  if (said.some((it) => matchesAny(it.text, ERROR_PHRASES))) return { kind: 'error' };
  return byStatus(evidence.statuses);
}

/**
 * Returns the restriction stated by a phrase that is listed for the server; undefined if there is none. Such a phrase
 * takes precedence over an expiry date.
 */
function listedRestriction(
  said: readonly Announcement[],
  { server }: Evidence,
): Verdict | undefined {
  const listed = said.map(({ text }) => statementFor(text, server));
  return listed.find((it) => it?.kind === 'restricted');
}

/** Returns "not found", or an error if registration data or another name was read, or if the last line is truncated. */
function absenceUnlessDoubted(
  said: readonly Announcement[],
  absentAt: number,
  { question: { domain }, recordDomain, isTrace, isOpenEnded, statuses }: Evidence,
): Verdict {
  const isOfOther = domain !== '' && recordDomain !== undefined && recordDomain !== domain;
  const last = said.at(-1);
  const isTorn = isOpenEnded === true && last?.line === absentAt && endsEarly(last.text);
  const isHeld = isTrace || statuses.some(isHoldingStatus);
  return isHeld || isOfOther || isTorn ? { kind: 'error' } : { kind: 'not_found' };
}

/** True for a text that ends too early: at many servers, a name follows `No match`, and at some, another word. */
function endsEarly(text: string): boolean {
  return text.trim() === 'no match' || /\bmatch(?:es|ing)? (?:for|to|of) ?["']?$/.test(text);
}

/** Returns what the statuses imply for a name without other data; an unknown status implies nothing. */
function byStatus(statuses: readonly string[]): Verdict {
  for (const status of statuses) {
    const restriction = restrictionIn(`status: ${plainText(status)}`);
    if (restriction !== undefined) return { kind: 'restricted', restriction };
  }
  return statuses.some(isHoldingStatus) ? { kind: 'found' } : { kind: 'error' };
}

/**
 * Returns the restriction that one line, from any protocol, states; undefined if it states none, or only general rules.
 */
export function announcedRestriction(line: string): Restriction | undefined {
  const text = plainText(line);
  return matchesAny(text, RULE_WORDS) ? undefined : restrictionIn(text);
}

/** True if one line, from any protocol, states that a limit was exceeded; general rules do not count. */
export function saysThrottled(line: string): boolean {
  const text = plainText(line);
  if (matchesAny(text, RULE_WORDS)) return false;
  return matchesAny(text, THROTTLE_STATEMENTS) || matchesAny(text, THROTTLE_REQUESTS);
}

function isThrottle({ text, isProse }: Announcement, server: ServerStatements): boolean {
  if (matchesAny(text, server.throttled)) return true;
  if (matchesAny(text, RULE_WORDS)) return false;
  if (matchesAny(text, THROTTLE_STATEMENTS)) return true;
  return !isProse && matchesAny(text, THROTTLE_REQUESTS);
}

/**
 * Returns the first statement that the name is withheld, or that the server refuses to answer; undefined if there is
 * none.
 */
function statementAmong(
  said: readonly Announcement[],
  server: ServerStatements,
): (Verdict & { line: number }) | undefined {
  for (const { text, isProse, line } of said) {
    const listed = statementFor(text, server);
    if (listed !== undefined) return { ...listed, line };
    const restriction = isProse || matchesAny(text, RULE_WORDS) ? undefined : restrictionIn(text);
    if (restriction !== undefined) return { kind: 'restricted', restriction, line };
  }
  return undefined;
}

/**
 * Returns the seconds to wait that a text names, at most an hour, as in `wait 30 seconds` or `try again in 5 minutes`;
 * undefined if no time is named.
 */
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
