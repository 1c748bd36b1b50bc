import { distanceOf } from '#libs/domain-names';

/** Minimum length of a word. Almost any shorter word is one typing error away from another word. */
const LENGTH_MIN = 5;
/** Minimum length of a word that is also found with two typing errors. */
const TWO_SLIPS_LENGTH = 10;
const PRIME = 0x01000193;

/** Returns the number of typing errors (added, omitted, changed or swapped letters) allowed in a word. */
export function slipsOf(word: string): 0 | 1 | 2 {
  if (word.length < LENGTH_MIN) return 0;
  return word.length < TWO_SLIPS_LENGTH ? 1 : 2;
}

/** The golden ratio in 32 bits, as a multiplier that spreads numbers over the table. */
const SPREAD = 0x9e3779b1;

/**
 * Finds words that differ from a text by one or two typing errors, without comparing the text with each word. A word
 * and a text can be that close only if both become equal when letters are removed (a deletion neighbourhood). 32-bit
 * hashes of the shortened words are stored in an open-addressing table. False matches are compared and dropped.
 */
export class NearWords {
  private readonly keys: Int32Array;
  private readonly places: Int32Array;
  /**
   * An entry is the index of a hash in `keys`, counted from 1. It is in the hash's slot or in a following one, before
   * the next empty slot.
   */
  private readonly table: Int32Array;
  private readonly shift: number;
  private count = 0;
  private lengthMin = Infinity;
  private oneSlipMax = 0;
  private twoSlipsMax = 0;

  /**
   * @param words `find` returns indexes in this list. Words of fewer than five letters are never
   *   found.
   */
  constructor(private readonly words: readonly string[]) {
    const size = words.reduce((sum, word) => sum + keyCount(word.length, slipsOf(word)), 0);
    const bits = Math.ceil(Math.log2(size * 1.5 + 2));
    this.keys = new Int32Array(size);
    this.places = new Int32Array(size);
    this.table = new Int32Array(2 ** bits);
    this.shift = 32 - bits;
    words.forEach((word, place) => {
      const slips = slipsOf(word);
      if (slips === 0) return;
      this.lengthMin = Math.min(this.lengthMin, word.length);
      if (slips === 2) this.twoSlipsMax = Math.max(this.twoSlipsMax, word.length);
      else this.oneSlipMax = Math.max(this.oneSlipMax, word.length);
      eachKey(word, slips, (key) => this.add(key, place));
    });
  }

  /**
   * Returns the indexes of the words that differ from the text by at least one typing error, and by no more than
   * `slipsOf` allows.
   */
  find(text: string): number[] {
    const isTwo = text.length >= TWO_SLIPS_LENGTH - 2 && text.length <= this.twoSlipsMax + 2;
    const isOne = text.length >= this.lengthMin - 1 && text.length <= this.oneSlipMax + 1;
    if (!isOne && !isTwo) return [];
    const found = new Set<number>();
    eachKey(text, isTwo ? 2 : 1, (key) => {
      for (let at = this.addressOf(key); this.table[at] !== 0; at = this.after(at)) {
        const kept = this.table[at] - 1;
        if (this.keys[kept] === key) found.add(this.places[kept]);
      }
    });
    return [...found].filter((place) => this.isNear(this.words[place], text));
  }

  private isNear(word: string, text: string): boolean {
    const slips = slipsOf(word);
    if (Math.abs(word.length - text.length) > slips) return false;
    const distance = distanceOf(word, text);
    return distance > 0 && distance <= slips;
  }

  private add(key: number, place: number): void {
    let at = this.addressOf(key);
    while (this.table[at] !== 0) at = this.after(at);
    this.keys[this.count] = key;
    this.places[this.count] = place;
    this.table[at] = ++this.count;
  }

  private addressOf(key: number): number {
    return Math.imul(key, SPREAD) >>> this.shift;
  }

  private after(at: number): number {
    return (at + 1) & (this.table.length - 1);
  }
}

function keyCount(length: number, slips: 0 | 1 | 2): number {
  if (slips === 0) return 0;
  return 1 + length + (slips === 2 ? (length * (length - 1)) / 2 : 0);
}

/** Maximum length of a text, greater than the length of any label. */
const TEXT_LENGTH_MAX = 255;
/** The weight of a letter, by the number of letters after it. */
const POWERS = new Int32Array(TEXT_LENGTH_MAX + 1);
POWERS[0] = 1;
for (let at = 1; at <= TEXT_LENGTH_MAX; at++) POWERS[at] = Math.imul(POWERS[at - 1], PRIME);
const begins = new Int32Array(TEXT_LENGTH_MAX + 1);

/**
 * Visits the hashes of a text and of all texts that result from removing up to `slips` letters. Some hashes may occur
 * twice.
 */
function eachKey(given: string, slips: 1 | 2, visit: (key: number) => void): void {
  const text = given.slice(0, TEXT_LENGTH_MAX);
  const { length } = text;
  for (let at = 0; at < length; at++) {
    begins[at + 1] = Math.imul(begins[at], PRIME) + text.charCodeAt(at) + 1;
  }
  visit(begins[length]);
  for (let out = 0; out < length; out++) {
    const tail = length - out - 1;
    visit((Math.imul(begins[out], POWERS[tail]) + part(out + 1, length)) | 0);
    if (slips === 1) continue;
    const begin = Math.imul(begins[out], POWERS[tail - 1] ?? 0);
    for (let other = out + 1; other < length; other++) {
      const rest = length - other - 1;
      const middle = Math.imul(part(out + 1, other), POWERS[rest]);
      visit((begin + middle + part(other + 1, length)) | 0);
    }
  }
}

const part = (from: number, to: number) =>
  (begins[to] - Math.imul(begins[from], POWERS[to - from])) | 0;
