import { isHostName } from '../../whois/parse/fields/host-names.js';
import { spellingsOf, withoutNames } from '../../whois/parse/outcome/asked-name.js';
import {
  ABSENCE_CORES,
  ABSENCE_OF_SUBJECT,
  AROUND_FREE,
  BEFORE_ABSENCE,
  EXISTING,
  FREE_CORES,
  FREE_OF_SUBJECT,
  LEADS_TO_SOUGHT,
  MAY_LACK_VERB,
  NOUNS,
  type Phrases,
  PLACES,
  PLACES_ELSEWHERE,
  PLACE_WORDS,
  SEARCHES,
  SOUGHT,
  SUBJECTS,
  SUFFIX,
} from './absence-phrases.js';

const WORDS_MAX = 40;
const NAME = '\u0001';

/**
 * Words that turn an absence into a question, state that something exists, or limit the absence to one party's view or
 * to one place of many.
 */
const NARROWED =
  /^(?:was|were)\b|\bhad\b|\bthere (?:is|are)\b(?! not?\b)|\bis there\b|(?<!\bnot )\bha(?:s|ve) an?\b|^(?:is|are|do|does|did|has|have)\b(?! not?\b)|\bnot? .*\bthere$|\byou\b(?! (?:asked|consulted|requested|searched))|\byour\b(?! (?:criteria|query|request|search))|\b(?:by|on) request\b|\blist\b/;
/**
 * Matches texts that say that the status of a name is missing, rather than the name: `Registration status not found`,
 * but not `Status: not found`.
 */
const OF_STATUS = /\b(?:status|state)(?! ?[:=-])(?=[ .!]|$)/;
export type AskedName = ReadonlySet<string>;

/** Returns the A-label and U-label forms of a name; empty if the name is not known. */
export function askedNames(domain: string): AskedName {
  return new Set(spellingsOf(domain));
}

/**
 * True for a line in which every sentence is a phrase of absence, alone or about the queried name: `No match for
 * "example.test".`, `Status: free`; but not `available to:`, `TLD not found` or `Your address is not registered`.
 *
 * @param line plain lower-case text.
 * @param asked the spellings of the queried name; if there are none, any host name is accepted instead.
 */
export function saysAbsent(line: string, asked: AskedName): boolean {
  // A slash suggests a path, which a web server may not have found. Dots at the end mean that the line is cut off.
  if (/\/|\.\.$|…$/.test(line) || OF_STATUS.test(withoutNames(line, asked))) return false;
  const sentences = sentencesOf(line, asked);
  if (sentences.length === 0) return false;
  let isSaid = false;
  for (const words of sentences) {
    if (words.every((word) => word === NAME)) continue;
    if (!isAbsence(words)) return false;
    isSaid = true;
  }
  return isSaid;
}

/** Returns the words of each sentence, with `NAME` in place of the queried name; none if there are too many words. */
function sentencesOf(line: string, asked: AskedName): string[][] {
  const sentences: string[][] = [];
  let words: string[] = [];
  const parts = line.replaceAll(' (', ' - ').split(/[\s"“”„«»()[\]<>{}*|=,/_]+/, WORDS_MAX + 1);
  if (parts.length > WORDS_MAX) return [];
  for (const part of parts) {
    const word = trimMarks(part);
    if (word !== '') words.push(nameOr(word, asked));
    if (words.length > 0 && (word === '' || /[.!;]$/.test(part))) {
      sentences.push(words);
      words = [];
    }
  }
  return words.length > 0 ? [...sentences, words] : sentences;
}

function nameOr(word: string, asked: AskedName): string {
  if (asked.has(word)) return NAME;
  if (asked.size === 0 && isHostName(word)) return NAME;
  if (word[0] === '.' && [...asked].some((name) => name.endsWith(word))) return SUFFIX;
  return word.replace('’', "'");
}

/** Removes punctuation around a word, except the dot of a suffix such as `.example`; a lone dash becomes empty. */
function trimMarks(part: string): string {
  let [start, end] = [0, part.length];
  while (start < end && "-:'`!?.".includes(part[start])) start += 1;
  if (start === 1 && part[0] === '.' && end > 2) start = 0;
  while (end > start && "-:;'`!?.".includes(part[end - 1])) end -= 1;
  return part.slice(start, end);
}

/**
 * Reads a sentence word by word. True if it consists of phrases of absence or availability, and words that may
 * accompany them.
 */
function isAbsence(words: readonly string[]): boolean {
  const hasSubject = words.some((word) => isSubject(word));
  const around: string[] = [];
  let isAbsent = false;
  let isFree = false;
  for (let at = 0; at < words.length;) {
    const absent = absenceLengthAt(words, at, hasSubject);
    const free = absent > 0 ? 0 : freeLengthAt(words, at, hasSubject);
    const behind = isAbsent && absent + free === 0 ? behindLengthAt(words, at) : 0;
    const length = absent + free + behind;
    if (length === 0 && !isSubject(words[at])) {
      if (isAbsent) return false;
      around.push(words[at]);
    }
    isAbsent ||= absent > 0;
    isFree ||= free > 0;
    at += Math.max(length, 1);
  }
  if (isFree)
    return !isAbsent && isOfName(words, around) && around.every((word) => AROUND_FREE.has(word));
  if (NARROWED.test(words.join(' '))) return false;
  return isAbsent && around.every((word) => BEFORE_ABSENCE.has(word));
}

/**
 * True for `example.test is free` and `status: free`. A name together with a status is two fields on one line, and a
 * record or a registration that is available is one that exists.
 */
function isOfName(words: readonly string[], around: readonly string[]): boolean {
  const isStatus = words.some((word) => word === 'status' || word === 'state');
  if (isStatus) return !words.includes(NAME);
  return ![...words.filter(isSubject), ...around].some((word) => EXISTING.has(word));
}

function isSubject(word: string): boolean {
  return word === NAME || SUBJECTS.has(word);
}

function absenceLengthAt(words: readonly string[], at: number, hasSubject: boolean): number {
  const of = hasSubject ? lengthAt(words, at, ABSENCE_OF_SUBJECT) : 0;
  const core = Math.max(lengthAt(words, at, ABSENCE_CORES), of);
  return core || noneLengthAt(words, at, hasSubject) || searchLengthAt(words, at);
}

function freeLengthAt(words: readonly string[], at: number, hasSubject: boolean): number {
  const of = hasSubject ? lengthAt(words, at, FREE_OF_SUBJECT) : 0;
  return Math.max(lengthAt(words, at, FREE_CORES), of);
}

/** Returns the length, in words, of the longest phrase at a position; 0 if there is none. */
function lengthAt(words: readonly string[], at: number, phrases: Phrases): number {
  let longest = 0;
  for (const phrase of phrases.get(words[at]) ?? []) {
    if (phrase.length > longest && phrase.every((word, index) => words[at + index] === word)) {
      longest = phrase.length;
    }
  }
  return longest;
}

/**
 * Returns the length of a phrase such as `no matching record` or `no domain records were found`: "no", nouns, and a
 * verb unless one of the nouns is "match".
 */
function noneLengthAt(words: readonly string[], at: number, hasSubject: boolean): number {
  if (words[at] !== 'no') return 0;
  let end = at + 1;
  while (NOUNS.has(words[end])) end += 1;
  if (end === at + 1) return 0;
  const isMatch = words.slice(at + 1, end).some((noun) => MAY_LACK_VERB.has(noun));
  if (['was', 'were', 'is', 'are'].includes(words[end])) end += 1;
  if (['found', 'exist', 'exists'].includes(words[end])) return end + 1 - at;
  // Data that is not available may be withheld, unless it is missing in a database.
  const isPlaced = hasSubject && PLACES.has(words.at(-1) ?? '');
  if (words[end] === 'available' && isPlaced) return end + 1 - at;
  return isMatch ? end - at : 0;
}

/** Returns the length of a phrase such as `could not find the requested domain`. */
function searchLengthAt(words: readonly string[], at: number): number {
  const search = lengthAt(words, at, SEARCHES);
  if (search === 0) return 0;
  let end = at + search;
  while (BEFORE_ABSENCE.has(words[end])) end += 1;
  return isSubject(words[end]) ? end - at : 0;
}

/**
 * Returns the length of a phrase that may follow an absence: the place in which nothing was found, or the object of the
 * search.
 */
function behindLengthAt(words: readonly string[], at: number): number {
  return (
    lengthAt(words, at, PLACES_ELSEWHERE) || placeLengthAt(words, at) || soughtLengthAt(words, at)
  );
}

/** Returns the length of a phrase such as `for the requested domain name` or `to match the request criteria`. */
function soughtLengthAt(words: readonly string[], at: number): number {
  let end = at;
  while (LEADS_TO_SOUGHT.has(words[end])) end += 1;
  const start = end;
  while (SOUGHT.has(words[end]) || isSubject(words[end])) end += 1;
  return start > at && end > start ? end - at : 0;
}

/**
 * Returns the length of a phrase such as `in the registry NASK database`: the place in which nothing was found, and its
 * owner.
 */
function placeLengthAt(words: readonly string[], at: number): number {
  if (!['in', 'on', 'from'].includes(words[at])) return 0;
  const matching = words.indexOf('matching', at);
  const end = matching < 0 ? words.length : matching;
  const rest = words.slice(at + 1, end);
  const last = rest.at(-1) ?? '';
  const isPlace = PLACES.has(last) || (last === 'server' && rest.at(-2) === 'whois');
  const isNamed = rest.every(
    (word) => PLACES.has(word) || PLACE_WORDS.has(word) || word === NAME || word === SUFFIX,
  );
  return isPlace && isNamed ? end - at : 0;
}
