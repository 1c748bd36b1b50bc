import { distanceOf } from '#libs/domain-names';

/** Of a shorter word every other one is but a slip away. */
const LENGTH_MIN = 5;
/** Two slips are seen in words of at least so many letters. */
const TWO_SLIPS_LENGTH = 10;
const PRIME = 0x01000193;

/** Letters that may be added, left out, changed or swapped in a word. */
export function slipsOf(word: string): 0 | 1 | 2 {
  if (word.length < LENGTH_MIN) return 0;
  return word.length < TWO_SLIPS_LENGTH ? 1 : 2;
}

/**
 * Finds words that differ from a text by a slip or two, without comparing it with each: two texts are near each other
 * only if they are equal once letters are left out of both (a deletion neighbourhood). Instead of the texts that arise,
 * 32-bit numbers of them are kept; what is found by chance is compared, and dropped.
 */
export class NearWords {
  private readonly first = new Map<number, number>();
  private readonly next: number[] = [];
  private readonly places: number[] = [];
  private lengthMin = Infinity;
  private oneSlipMax = 0;
  private twoSlipsMax = 0;

  /** @param words each with at least one slip; their places are the answers. */
  constructor(private readonly words: readonly string[]) {
    words.forEach((word, place) => {
      const slips = slipsOf(word);
      if (slips === 0) return;
      this.lengthMin = Math.min(this.lengthMin, word.length);
      if (slips === 2) this.twoSlipsMax = Math.max(this.twoSlipsMax, word.length);
      else this.oneSlipMax = Math.max(this.oneSlipMax, word.length);
      for (const key of new Set(keysOf(word, slips))) this.add(key, place);
    });
  }

  /** Places of the words that the text is a slip or two away from; not of the text itself. */
  find(text: string): number[] {
    const isTwo = text.length >= TWO_SLIPS_LENGTH - 2 && text.length <= this.twoSlipsMax + 2;
    const isOne = text.length >= this.lengthMin - 1 && text.length <= this.oneSlipMax + 1;
    if (!isOne && !isTwo) return [];
    const found = new Set<number>();
    for (const key of keysOf(text, isTwo ? 2 : 1)) {
      for (let at = this.first.get(key) ?? -1; at >= 0; at = this.next[at]) {
        found.add(this.places[at]);
      }
    }
    return [...found].filter((place) => this.isNear(this.words[place], text));
  }

  private isNear(word: string, text: string): boolean {
    const slips = slipsOf(word);
    if (Math.abs(word.length - text.length) > slips) return false;
    const distance = distanceOf(word, text);
    return distance > 0 && distance <= slips;
  }

  private add(key: number, place: number): void {
    this.next.push(this.first.get(key) ?? -1);
    this.first.set(key, this.places.length);
    this.places.push(place);
  }
}

/** Numbers of a text and of all that it becomes when one or two letters are left out; some may come twice. */
function keysOf(text: string, slips: 1 | 2): number[] {
  const { length } = text;
  // Of a text's begin, and what a letter before so many others counts.
  const begins = new Int32Array(length + 1);
  const powers = new Int32Array(length + 1);
  powers[0] = 1;
  for (let at = 0; at < length; at++) {
    begins[at + 1] = (Math.imul(begins[at], PRIME) + text.charCodeAt(at) + 1) | 0;
    powers[at + 1] = Math.imul(powers[at], PRIME);
  }
  const part = (from: number, to: number) =>
    (begins[to] - Math.imul(begins[from], powers[to - from])) | 0;
  const keys = [begins[length]];
  for (let out = 0; out < length; out++) {
    const tail = length - out - 1;
    keys.push((Math.imul(begins[out], powers[tail]) + part(out + 1, length)) | 0);
    if (slips === 1) continue;
    for (let other = out + 1; other < length; other++) {
      const rest = length - other - 1;
      const middle = Math.imul(part(out + 1, other), powers[rest]);
      const begin = Math.imul(begins[out], powers[tail - 1]);
      keys.push((begin + middle + part(other + 1, length)) | 0);
    }
  }
  return keys;
}
