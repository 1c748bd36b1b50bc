import { Turns } from '#libs/platform';

export interface LexicalModel {
  labels: number;
  /** The mean surprisal of the labels, in bits per letter; `deviation` is the standard deviation. */
  mean: number;
  deviation: number;
  counts: Readonly<Record<string, number>>;
}

/** The number of possible characters: the letters, the digits, the hyphen, and the end of a label. */
const LETTERS = 38;
/** The count that is added to each sequence, so that an unseen one does not seem impossible. */
const SMOOTHING = 0.1;
/** Sequences that occur less often than this are dropped, because a single occurrence may be chance. */
const COUNT_MIN = 2;
/** The number of labels per turn of the event loop. */
const LABELS_OF_TURN = 250;

/** Trains a model. Many labels take half a second, so requests are answered in between. */
export async function trainedOn(labels: readonly string[]): Promise<LexicalModel> {
  const turns = new Turns(LABELS_OF_TURN);
  const all: Record<string, number> = {};
  for (const label of labels) {
    await turns.spend();
    for (const three of threesOf(label)) all[three] = (all[three] ?? 0) + 1;
  }
  const counts = Object.fromEntries(Object.entries(all).filter(([, count]) => count >= COUNT_MIN));
  const surprise = surpriseOf({ counts });
  const each: number[] = [];
  for (const label of labels) {
    await turns.spend();
    each.push(surprise(label));
  }
  const mean = each.reduce((sum, one) => sum + one, 0) / labels.length;
  const squares = each.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return { labels: labels.length, mean, deviation: Math.sqrt(squares / labels.length), counts };
}

/**
 * Returns a function that computes the surprisal of a label, in bits per letter. Labels that look like random letters
 * have the highest surprisal.
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
