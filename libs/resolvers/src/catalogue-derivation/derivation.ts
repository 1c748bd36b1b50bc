import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formIn } from '../whois/parse/outcome/absence/absence.js';
import { parseWhois } from '../whois/parse/parse-whois.js';
import { cleanText } from '../whois/parse/reading/clean-text.js';
import { splitLines } from '../whois/parse/reading/lines.js';
import { WorkMeter } from '../whois/parse/reading/work-meter.js';
import { isOwnWord, phrasesOf, sentencesIn, wordsOf } from '../small-print/small-print.js';

/** In a line of at most this many words, each word is kept as it is: `Script: LATIN`. */
const SHORT_WORDS_MAX = 3;
/** A folder from which a catalogue would lose more than this share of its sentences is incomplete. */
const LOSS_MAX = 0.1;
const NONE: ReadonlySet<string> = new Set();

interface RecordedRow {
  server: string | null;
  tld: string | null;
  text: string;
  expected: { status?: string; domain?: string };
}

/**
 * Derives the catalogue: the sentences that registries publish as terms (`terms.txt`), and those next to the statements
 * of absence in a folder of recorded answers (`*.jsonl`, see `eval-whois`). Names, numbers and addresses are replaced,
 * and answers about registered names are not used, so the catalogue contains no personal data.
 */
export function deriveCatalogue(terms: string, folder: string): string[] {
  const recorded = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line.trim() !== '')
    .flatMap((line) => besideAbsence(JSON.parse(line) as RecordedRow));
  return catalogueOf([...terms.split('\n').flatMap(sentencesIn), ...recorded]);
}

/**
 * Replaces the catalogue file with a newly derived one.
 * @throws Error if more than a tenth of the sentences would be lost.
 * @returns a description of the changes.
 */
export function writeCatalogue(folder: string, file: string, terms: string): string {
  const before = JSON.parse(readFileSync(file, 'utf8')) as string[];
  const after = deriveCatalogue(terms, folder);
  if (after.length < before.length * (1 - LOSS_MAX)) {
    throw new Error(
      `${after.length} sentences instead of ${before.length}: ${folder} is incomplete`,
    );
  }
  writeFileSync(file, `${JSON.stringify(after, null, 2)}\n`);
  return `${after.length} sentences, ${before.length} before`;
}

/**
 * Chooses sentences, beginning with the shortest, each of which adds a phrase that the sentences chosen before lack.
 * Names in them are replaced with `*`.
 */
function catalogueOf(sentences: readonly string[]): string[] {
  const vocabulary = vocabularyOf(sentences);
  const entries = sentences.map((sentence) => wordsOf(sentence, vocabulary));
  const phrases = new Set<string>();
  const isNew = (words: readonly string[]) => {
    const before = phrases.size;
    for (const phrase of phrasesOf(words)) phrases.add(phrase);
    return phrases.size > before;
  };
  return entries
    .filter((words) => words.some(isOwnWord))
    .sort((a, b) => a.length - b.length)
    .filter(isNew)
    .map((words) => words.join(' '))
    .sort();
}

/**
 * Collects the words that are not names: those that occur in lower case, or with a capital letter only at the beginning
 * of sentences.
 */
function vocabularyOf(sentences: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>();
  const first = new Set<string>();
  const names = new Set<string>();
  for (const sentence of sentences) {
    for (const [at, part] of sentence.trim().split(/\s+/).entries()) {
      const plain = plainWordsOf(part);
      const isName = wordsOf(part, NONE).includes('*');
      for (const word of plain) (isName ? (at === 0 ? first : names) : words).add(word);
    }
  }
  for (const word of first) if (!names.has(word)) words.add(word);
  // A line that has hardly any other words keeps its names, because it is recognised by them.
  for (const sentence of sentences) {
    const isShort = sentence.trim().split(/\s+/).length <= SHORT_WORDS_MAX;
    if (isShort || !wordsOf(sentence, words).some(isOwnWord)) {
      for (const word of plainWordsOf(sentence)) words.add(word);
    }
  }
  return words;
}

const plainWordsOf = (text: string): string[] =>
  wordsOf(text.toLowerCase(), NONE).filter(isOwnWord);

function besideAbsence({ server, tld, text, expected }: RecordedRow): string[] {
  const question = {
    domain: expected.domain ?? '',
    server: server ?? '',
    tld: tld ?? '',
    role: tld === null ? 'registrar' : 'registry',
  } as const;
  // Some recordings distinguish only "not registered" from "registered", so a rate limit is recorded as "not
  // registered".
  const isThrottle = parseWhois(text, question).outcome === 'throttled';
  if (expected.status !== 'not_registered' || isThrottle) return [];
  const meter = new WorkMeter();
  const form = formIn(splitLines(cleanText(text, meter), meter), question);
  return form?.beside.flatMap((lines) => sentencesIn(lines.join(' '))) ?? [];
}
