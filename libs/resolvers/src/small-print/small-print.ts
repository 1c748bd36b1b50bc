import catalogue from './catalogue.json' with { type: 'json' };

const PHRASE_WORDS = 3;
const CATALOGUE: readonly string[] = catalogue;
const VOCABULARY: ReadonlySet<string> = new Set(CATALOGUE.flatMap((it) => it.split(' ')));
const SENTENCES: ReadonlySet<string> = new Set(CATALOGUE);
const PHRASES = new Set(CATALOGUE.flatMap((it) => phrasesOf(it.split(' '))));

/** The maximum length of a word. Longer words do not occur in any language, so they are kept as they are. */
const WORD_LENGTH_MAX = 200;
const NAME_WORDS_MAX = 5;
/**
 * The minimum number of words of a sentence with a name: in a shorter sentence, any word with a capital letter could
 * pass as a name.
 */
const WORDS_WITH_NAME_MIN = 4;

/** A statement that access is refused, or that data is kept back. `rate limited` is a rule, not such a statement. */
const REFUSED =
  /^(?:\S+ ){1,8}(?:is|are|has been|have been) (?:filtered|limited|suspended|not (?:disclosed|permitted)|(?:expressly |strictly )?prohibited|restricted(?: (?:to|because) .+)?)$/;
/** Words that restrict such a statement to certain uses of the data. */
const OF_SOME_USE = /\b(?:any|commercial|for|if|other|unauthori[sz]ed|without)\b/;
const SENTENCE_END =
  /(?<=[\p{L}\d)"'][.!?;])(?<!\b(?:Co|Inc|Ltd|ver|No|e\.g|i\.e)\.)\s+(?=["'\p{Lu}])/u;
const BETWEEN_WORDS = /(?:[\s"“”„«»()[\],;|<>{}…]|(?<!\d):(?!\/\/))+/;
const DAYS_AND_MONTHS =
  /\b(?:mon|tues?|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\b[\s,.-]{0,3}(?=\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/gi;
const TIME_ZONE = /^(?:utc|gmt|msk|msd|[cew]es?t|ees?t|brs?t|[jk]st|[ap]m)$/i;
const STAMP = /^v?\d[\d.:/,+TZ-]*[a-z]?$|^\d+-[a-z]{3}-\d+$/i;
const DATE = /\b(?:19|20)\d\d\b/;
const PAGE = /^(?:https?:|www\.)(?!.*\/domain\/)|^(?:[\w-]+\.)?nic\.[\w.-]+$|@/i;
const SUFFIX = /^\.\p{L}/u;
/**
 * The match can begin only at the start of a run of marks; otherwise, matching would begin again at each mark of a long
 * run.
 */
const MARKS_AT_END = /(?<=^|[\p{L}\d])[^\p{L}\d]+$/u;

/**
 * True for a text that registries print next to "not found" and that says nothing about the name: terms of use,
 * banners, references, timestamps. Every three consecutive words of a sentence, including its beginning and its end,
 * must be in the catalogue (`catalogue-derivation/`). A known sentence is therefore recognised with other names and
 * dates. A new sentence is recognised if all its phrases are known, unless it is little more than a name, or says that
 * access is refused. Any other text next to "not found" may be the reason for it.
 */
export function isSmallPrint(text: string): boolean {
  return sentencesIn(text).every((sentence) => {
    const words = wordsOf(sentence, VOCABULARY);
    if (isAskedOrCut(sentence)) return false;
    if (words.every((it) => it === '#')) return words.length === 0 || DATE.test(sentence);
    if (!words.some(isOwnWord)) return words.every((it) => it === '@');
    const isShort = words.length < WORDS_WITH_NAME_MIN && words.includes('*');
    if (isShort && !isOfName(sentence, words)) return false;
    if (isRefusal(words.join(' '))) return false;
    return phrasesOf(words).every((phrase) => PHRASES.has(phrase));
  });
}

/** True for a new sentence such as `access to this data is not permitted`, but not for a known one. */
const isRefusal = (text: string): boolean =>
  REFUSED.test(text) && !OF_SOME_USE.test(text) && !SENTENCES.has(text);

/**
 * True for `Example Privacy Policy` and `Whois .TEST`, but not for `Locked for Example`, `Failure to Connect` or `Whois
 * Locked`.
 */
function isOfName(sentence: string, words: readonly string[]): boolean {
  if (words.length > 2 && SENTENCES.has(words.join(' '))) return true;
  if (words.filter(isOwnWord).length > 1 && words.at(-1) !== '*') return true;
  return sentence.split(BETWEEN_WORDS).some((word) => SUFFIX.test(word));
}

/** True for `The database contains only .test and .example names`, if the requested name is under neither suffix. */
export function isOfOtherSuffixes(text: string, domain: string): boolean {
  return /\bonly\b/i.test(text) && namesOtherSuffixes(text, domain);
}

/** True for a text that names suffixes (`.test`), but not that of the requested name. */
export function namesOtherSuffixes(text: string, domain: string): boolean {
  const suffixes = text
    .toLowerCase()
    .split(BETWEEN_WORDS)
    .map((word) => word.replace(/\.$/, ''))
    .filter((word) => SUFFIX.test(word));
  return domain !== '' && suffixes.length > 0 && !suffixes.some((it) => domain.endsWith(it));
}

/** True for a text that ends with a question mark or an ellipsis: its meaning is open. */
function isAskedOrCut(sentence: string): boolean {
  const marks = MARKS_AT_END.exec(sentence)?.[0] ?? '';
  return /\?|\.{3}|…/.test(marks);
}

export const sentencesIn = (text: string): string[] => text.split(SENTENCE_END);

/** True for a word of the sentence itself, false for a mark that replaces a name, a number or an address. */
export const isOwnWord = (word: string): boolean => !/^[*#@]$/.test(word);

/**
 * Converts a sentence to the form of the catalogue: in lower case, with `*` for names (suffixes, and capitalised words
 * that are not in the vocabulary), `#` for dates and numbers, `@` for web and e-mail addresses.
 */
export function wordsOf(sentence: string, vocabulary: ReadonlySet<string>): string[] {
  const words: string[] = [];
  let names = 0;
  for (const part of sentence.replace(DAYS_AND_MONTHS, '1 ').split(BETWEEN_WORDS)) {
    const word = wordOf(part, vocabulary);
    const last = words.at(-1);
    if (word === '' || (last === '#' && TIME_ZONE.test(part))) continue;
    names = word === '*' ? names + 1 : 0;
    const isSame = word === last && '#@*'.includes(word) && names <= NAME_WORDS_MAX;
    if (!isSame) words.push(word);
  }
  return words;
}

function wordOf(part: string, vocabulary: ReadonlySet<string>): string {
  if (part.length > WORD_LENGTH_MAX) return part;
  if (PAGE.test(part)) return '@';
  const word = part
    .replace(/^[^\p{L}\d.]+/u, '')
    .replace(MARKS_AT_END, '')
    .replaceAll('’', "'");
  const plain = word.toLowerCase();
  if (SUFFIX.test(word)) return '*';
  // Zero is not replaced, because "0 left" is a statement.
  if (STAMP.test(word) && plain !== '0') return '#';
  return /^\p{Lu}/u.test(word) && !word.includes('.') && !vocabulary.has(plain) ? '*' : plain;
}

/** Returns every three consecutive words, including the beginning and the end of the sentence. */
export function phrasesOf(words: readonly string[]): string[] {
  const all = ['^', ...words, '$'];
  const last = Math.max(all.length - PHRASE_WORDS, 0);
  return Array.from({ length: last + 1 }, (_, at) => all.slice(at, at + PHRASE_WORDS).join(' '));
}
