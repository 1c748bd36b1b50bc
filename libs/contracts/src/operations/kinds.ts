import { type DomainName, parseDomainName, toALabels } from '#libs/domain-names';
import { maskKeys } from '#libs/platform';
import type { DataClass, ParameterKind } from './parameter.js';
import { isMemberPath } from './reading/answer-members.js';

const NAME_LENGTH_MAX = 2_048;
const LIST_LENGTH_MAX = 1_000;
const SUFFIXES_MAX = 20;
const SUFFIX = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})?$/;
const PLAIN_NAME = /^[A-Za-z0-9.-]+$/;
const FIXTURE_ENDING = /(^|\.)test\.?$/i;
/** The names for which every operation on names answers test keys. */
const FIXTURE_NAMES: readonly string[] = [
  'registered.test',
  'available.test',
  'redacted.test',
  'conflict.test',
  'throttled.test',
  'slow.test',
];
// oxlint-disable-next-line eslint/no-control-regex -- these characters are what the rule refuses
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Reads a domain name as people write it: a name, a URL, an internationalised name. The owner decides whether it is
 * valid. Names under `.test` are reserved, and a few of them are fixtures.
 */
export function domainName(): ParameterKind<string> {
  return {
    schema: { type: 'string', minLength: 1, maxLength: NAME_LENGTH_MAX },
    // A key that was pasted in the wrong place is sent neither to the owner nor to the log.
    clean: (text) => (PLAIN_NAME.test(text) ? text : maskKeys(text.trim().toWellFormed())),
    fault: (text) => {
      if (text === '') return 'is required';
      if (text.length > NAME_LENGTH_MAX)
        return `must not be longer than ${NAME_LENGTH_MAX} characters`;
      return CONTROL.test(text) ? 'must not contain control characters' : undefined;
    },
    value: (text) => text,
    write: (text) => (PLAIN_NAME.test(text) ? text.toLowerCase() : encodeURIComponent(text)),
    isReserved: (text) =>
      PLAIN_NAME.test(text) ? FIXTURE_ENDING.test(text) : domainOf(text)?.tld === 'test',
    isFixture: (text) => FIXTURE_NAMES.includes(domainOf(text)?.name ?? ''),
  };
}

/** Reads a name as lookup does, so that both agree on which names are the same; undefined for an invalid name. */
function domainOf(text: string): DomainName | undefined {
  const parsed = parseDomainName(text);
  return parsed.ok ? parsed.domain : undefined;
}

/** Reads suffixes in any script, separated by commas: `com,co.uk`. */
export function suffixes(): ParameterKind<string[]> {
  const read = (given: string) => [...new Set(given.split(',').map(suffixOf))];
  return {
    schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: SUFFIXES_MAX },
    clean: (given) => given.trim().toLowerCase(),
    fault: (given) => {
      const all = read(given);
      return all.length <= SUFFIXES_MAX && all.every((one) => SUFFIX.test(one))
        ? undefined
        : `must be at most ${SUFFIXES_MAX} suffixes such as com,co.uk`;
    },
    value: read,
  };
}

/** Returns a suffix in A-labels; empty if the text contains anything but letters, digits, hyphens and dots. */
function suffixOf(text: string): string {
  const suffix = text.trim().replace(/^\./, '');
  return /[^\p{L}\p{M}\p{N}.-]/u.test(suffix) ? '' : toALabels(suffix);
}

/** Reads text of limited length. @param pattern an anchored expression; `rule` states it in words ("must be …"). */
export function text(
  lengthMax: number,
  { pattern, rule }: { pattern?: RegExp; rule?: string } = {},
): ParameterKind<string> {
  return {
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: lengthMax,
      ...(pattern && { pattern: pattern.source }),
    },
    fault: (given) => {
      if (given === '') return 'must not be empty';
      if (given.length > lengthMax) return `must not be longer than ${lengthMax} characters`;
      if (CONTROL.test(given)) return 'must not contain control characters';
      return pattern && !pattern.test(given) ? rule : undefined;
    },
    value: (given) => given,
  };
}

/** Reads an id, in any case (RFC 9562 §4). @param what the object that it identifies, such as `a job`. */
export function idOf(what: string): ParameterKind<string> {
  const pattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  const kind = text(36, { pattern, rule: `must be the id of ${what}` });
  return { ...kind, clean: (given) => given.toLowerCase() };
}

/** Reads a whole number, without sign, of at most 15 digits. @param unit appears in the rejection ("whole seconds"). */
export function integer(min: number, max: number, unit = 'a whole number'): ParameterKind<number> {
  const rule = `must be ${unit}, ${min} to ${max}`;
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    fault: (given) => {
      const isInRange = /^[0-9]{1,15}$/.test(given) && Number(given) >= min && Number(given) <= max;
      return isInRange ? undefined : rule;
    },
    value: Number,
  };
}

/** Reads `true` or `false`, in any case: Python writes `True`. */
export function boolean(): ParameterKind<boolean> {
  return {
    schema: { type: 'boolean' },
    clean: (given) => given.toLowerCase(),
    fault: (given) => (given === 'true' || given === 'false' ? undefined : 'must be true or false'),
    value: (given) => given === 'true',
  };
}

/**
 * Returns a function that spells a word as the set does: record types are in upper case, but many clients write them in
 * lower case.
 */
function spelledAs(words: readonly string[]): (given: string) => string {
  return (given) => {
    if (words.includes(given)) return given;
    const folded = given.toLowerCase();
    return words.find((word) => word.toLowerCase() === folded) ?? given;
  };
}

/** Reads a word of a fixed set, in any case. */
export function oneOf<const Word extends string>(words: readonly Word[]): ParameterKind<Word> {
  const rule = words.length === 1 ? `must be ${words[0]}` : `must be one of ${words.join(', ')}`;
  return {
    schema: { type: 'string', enum: words },
    clean: spelledAs(words),
    fault: (given) => ((words as readonly string[]).includes(given) ? undefined : rule),
    value: (given) => given as Word,
  };
}

/**
 * Reads the format of an answer, in any case. Other services also offer XML, so clients that request XML get an
 * explanation.
 */
export function jsonFormat(): ParameterKind<'json'> {
  return {
    ...oneOf(['json']),
    clean: (text) => text.toLowerCase(),
    fault: (given) => {
      if (given === 'json') return undefined;
      return given === 'xml' ? 'must be json; XML is not supported' : 'must be json';
    },
  };
}

/** Reads words of a fixed set, in any case, separated by commas. */
export function listOf<const Word extends string>(words: readonly Word[]): ParameterKind<Word[]> {
  const known: readonly string[] = words;
  const isKnown = (word: string) => known.includes(word);
  const spelled = spelledAs(words);
  return {
    schema: { type: 'array', items: { type: 'string', enum: words }, minItems: 1 },
    clean: (given) =>
      given.length > LIST_LENGTH_MAX ? given : given.split(',').map(spelled).join(','),
    fault: (given) =>
      given.length <= LIST_LENGTH_MAX && given.split(',').every(isKnown)
        ? undefined
        : `must be a list of ${words.join(', ')}`,
    value: (given) => [...new Set(given.split(','))] as Word[],
  };
}

const PATHS_MAX = 50;
const PATH = '[a-z][a-z0-9_]{0,39}(?:\\.[a-z0-9][a-z0-9_]{0,39}){0,4}';
const PATHS = new RegExp(`^${PATH}(?:,${PATH}){0,${PATHS_MAX - 1}}$`);

/** A member that is in every answer, whatever is selected. */
const META = 'meta';
const NAMED_MAX = 5;

/**
 * Reads dot paths of members, separated by commas. @param answers classes of the answers, any of which may have the
 * member.
 */
export function memberPaths(...answers: DataClass[]): ParameterKind<string[]> {
  const items = { type: 'string', pattern: `^${PATH}$` };
  const isKnown = (path: string) =>
    path === META || answers.some((answer) => isMemberPath(answer, path));
  return {
    schema: { type: 'array', items, minItems: 1, maxItems: PATHS_MAX },
    selectsFrom: answers,
    fault: (given) => {
      if (!PATHS.test(given))
        return `must be a list of at most ${PATHS_MAX} paths such as dates.created`;
      const unknown = given.split(',').filter((path) => !isKnown(path));
      if (unknown.length === 0) return undefined;
      return `names no member of the answer: ${unknown.slice(0, NAMED_MAX).join(', ')}`;
    },
    value: (given) => given.split(','),
  };
}

/** Reads a calendar day from 1900 to 2199, `YYYY-MM-DD` (RFC 3339 full-date), in UTC. */
export function day(): ParameterKind<string> {
  return {
    schema: { type: 'string', format: 'date' },
    fault: (given) => (isDay(given) ? undefined : 'must be a day such as 2026-11-20'),
    value: (given) => given,
  };
}

/**
 * Whether a text is a calendar day. `Date` alone would read the 30th of February as a day of March, and accept years
 * that databases refuse.
 */
export function isDay(text: string): boolean {
  if (!/^(19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}
