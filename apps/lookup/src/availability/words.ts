import { dictionary } from '@zxcvbn-ts/language-en';

/** Minimum length of a word, except for `SHORT_WORDS`; shorter words are mostly parts of longer words. */
const WORD_LENGTH_MIN = 3;
const SHORT_WORDS = new Set(['be', 'do', 'go', 'in', 'it', 'my', 'on', 'to', 'up', 'us', 'we']);
/** Parts of a label that consist of more words than this are not split. */
const WORDS_MAX = 4;

/** The ranks of English words by frequency, from 1: some 50,000 words from the subtitles of films and series. */
const RANKS: ReadonlyMap<string, number> = new Map(
  dictionary['commonWords-en'].flatMap((word, place): [string, number][] =>
    SHORT_WORDS.has(word) || (word.length >= WORD_LENGTH_MIN && /^[a-z]+$/.test(word))
      ? [[word, place + 1]]
      : [],
  ),
);
const WORD_LENGTH_MAX = 24;

export function isWord(text: string): boolean {
  return RANKS.has(text);
}

/**
 * Splits a label at hyphens, and each part into the most common words that make it up. A part that is itself a word, or
 * does not consist of words, is not split: `fast-cars` → fast, cars; `photoshop` → photoshop; `coffeehouse` → coffee,
 * house.
 */
export function wordsOf(label: string): string[] {
  return label
    .split('-')
    .filter((part) => part !== '')
    .flatMap((part) => (isWord(part) ? [part] : (fillingWords(part) ?? [part])));
}

/** Returns the cheapest split of a text into known words, if any; rare words cost more than common words (Zipf). */
function fillingWords(text: string): string[] | undefined {
  const best: ({ cost: number; words: string[] } | undefined)[] = [{ cost: 0, words: [] }];
  for (let end = 1; end <= text.length; end++) {
    for (let start = Math.max(0, end - WORD_LENGTH_MAX); start < end; start++) {
      const before = best[start];
      const word = text.slice(start, end);
      const rank = RANKS.get(word);
      if (before === undefined || rank === undefined || before.words.length === WORDS_MAX) continue;
      const cost = before.cost + Math.log(rank * Math.log(RANKS.size));
      if (cost < (best[end]?.cost ?? Infinity))
        best[end] = { cost, words: [...before.words, word] };
    }
  }
  return best[text.length]?.words;
}
