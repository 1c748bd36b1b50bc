/** The id of a counted account: as text, and as four words that are its key in the in-memory tables. */
export class CounterId {
  readonly word0: number;
  readonly word1: number;
  readonly word2: number;
  readonly word3: number;

  /** @param text a lower-case UUID. */
  constructor(readonly text: string) {
    this.word0 = wordAt(text, 0, 4);
    this.word1 = wordAt(text, 9, 14);
    this.word2 = wordAt(text, 19, 24);
    this.word3 = wordAt(text, 28, 32);
  }
}

/** Reads two runs of four hex digits, possibly separated by a hyphen, as one signed 32-bit integer. */
function wordAt(text: string, high: number, low: number): number {
  return parseInt(text.slice(high, high + 4) + text.slice(low, low + 4), 16) | 0;
}
