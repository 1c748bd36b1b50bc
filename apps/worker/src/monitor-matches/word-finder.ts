import AhoCorasick from 'modern-ahocorasick';

export interface FoundWord {
  place: number;
  from: number;
  to: number;
}

/** Finds all occurrences of many words while reading a text once. A word may be listed more than once. */
export class WordFinder {
  private readonly automaton?: AhoCorasick;

  constructor(words: readonly string[]) {
    if (words.length > 0) this.automaton = new AhoCorasick(words);
  }

  find(text: string): FoundWord[] {
    const found = this.automaton?.search(text) ?? [];
    return found.map(({ patternIndex: place, start: from, end: to }) => ({ place, from, to }));
  }
}
