import { hash } from 'node:crypto';

/**
 * A 64-bit number as PostgreSQL's `bigint` takes it, in decimal: what rows of the corpus are spread and ordered by.
 * Two texts may share one; only together with the text is it unique.
 */
export type Key = string;

/** The key of a registrable name in lower case A-labels. */
export function domainKeyOf(name: string): Key {
  return keyOf(name);
}

/** The key of a folded value of a contact, or of a value of the DNS, among those of its kind. */
export function termKeyOf(kind: string, term: string): Key {
  return keyOf(`${kind} ${term}`);
}

function keyOf(text: string): Key {
  // Twice as fast as by way of a buffer.
  return BigInt.asIntN(KEY_BITS, BigInt(`0x${hash('sha256', text).slice(0, 16)}`)).toString();
}

/** The least and the greatest key. */
export const ALL_KEYS = {
  fromKey: '-9223372036854775808',
  toKey: '9223372036854775807',
} as const;

/** Parts that all keys are divided into, where work is done a part at a time. */
export const SLICES = 64;
const SLICE_BITS = 6;
/** A slice of a hundred million rows has more than a million: too many for one statement that looks at each. */
const RANGES_OF_SLICE = 16n;
const KEY_BITS = 64;
const OTHER_BITS = BigInt(KEY_BITS - SLICE_BITS);

const LEAST = BigInt(ALL_KEYS.fromKey);

/**
 * The slice of all keys that a key belongs to. Slices are in the order of the keys, so that an index grows at its end.
 */
export function sliceOf(key: Key): number {
  return Number((BigInt(key) - LEAST) >> OTHER_BITS);
}

/** The first and last key of a part. */
export function keysOfSlice(slice: number): [Key, Key] {
  const width = 1n << OTHER_BITS;
  const begin = LEAST + BigInt(slice) * width;
  return [begin.toString(), (begin + width - 1n).toString()];
}

/** The keys of a slice in equal ranges, each with its first and last key, in their order. */
export function rangesOfSlice(slice: number): [Key, Key][] {
  const first = BigInt(keysOfSlice(slice)[0]);
  const width = (1n << OTHER_BITS) / RANGES_OF_SLICE;
  return Array.from({ length: Number(RANGES_OF_SLICE) }, (_, place) => {
    const begin = first + BigInt(place) * width;
    return [begin.toString(), (begin + width - 1n).toString()];
  });
}
