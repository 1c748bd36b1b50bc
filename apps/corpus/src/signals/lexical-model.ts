/** The frequencies of three consecutive letters in labels. */
export interface LexicalModel {
  /** The number of labels from which it was built. */
  labels: number;
  /** The mean surprisal of those labels, in bits per letter; `deviation` is its standard deviation. */
  mean: number;
  deviation: number;
  counts: Readonly<Record<string, number>>;
}

/** The letters, the digits, the hyphen, and the two ends of a label. */
const LETTERS = 38;
/** Counts unseen pairs as if they had occurred a few times. */
const SMOOTHING = 0.1;
/** A sequence seen only once in this many labels is due to chance. */
const COUNT_MIN = 2;

/** Builds a model from labels in ASCII. */
export function trainedOn(labels: readonly string[]): LexicalModel {
  const all: Record<string, number> = {};
  for (const label of labels) {
    for (const three of threesOf(label)) all[three] = (all[three] ?? 0) + 1;
  }
  const counts = Object.fromEntries(Object.entries(all).filter(([, count]) => count >= COUNT_MIN));
  const surprise = surpriseOf({ counts });
  const each = labels.map((label) => surprise(label));
  const mean = each.reduce((sum, one) => sum + one, 0) / labels.length;
  const squares = each.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return { labels: labels.length, mean, deviation: Math.sqrt(squares / labels.length), counts };
}

/**
 * Computes the surprisal of labels, in bits per letter. A label that looks like random letters has the highest
 * surprisal.
 */
export function surpriseOf({ counts }: Pick<LexicalModel, 'counts'>): (label: string) => number {
  const pairs: Record<string, number> = {};
  for (const [three, count] of Object.entries(counts)) {
    const pair = three.slice(0, 2);
    pairs[pair] = (pairs[pair] ?? 0) + count;
  }
  return (label) => {
    const threes = threesOf(label);
    const bits = threes.map((three) => {
      const seen = (counts[three] ?? 0) + SMOOTHING;
      return -Math.log2(seen / ((pairs[three.slice(0, 2)] ?? 0) + SMOOTHING * LETTERS));
    });
    return bits.reduce((sum, one) => sum + one, 0) / threes.length;
  };
}

function threesOf(label: string): string[] {
  const text = `^^${label}$`;
  return Array.from({ length: text.length - 2 }, (_, place) => text.slice(place, place + 3));
}
