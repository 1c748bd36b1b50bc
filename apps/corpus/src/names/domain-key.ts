import { hash } from 'node:crypto';

/**
 * A 64-bit number in the range of PostgreSQL's `bigint`, in decimal. Rows of the corpus are distributed and ordered by
 * their keys. Two texts may have the same key, so a key is unique only together with its text.
 */
export type Key = string;

/** Returns the key of a registrable name in lower-case A-labels. */
export function domainKeyOf(name: string): Key {
  return keyOf(name);
}

/** Returns the key of a folded contact value or DNS value, separate for each kind. */
export function termKeyOf(kind: string, term: string): Key {
  return keyOf(`${kind} ${term}`);
}

function keyOf(text: string): Key {
  // Converting via hexadecimal text is twice as fast as reading a buffer.
  return BigInt.asIntN(KEY_BITS, BigInt(`0x${hash('sha256', text).slice(0, 16)}`)).toString();
}

export const ALL_KEYS = {
  fromKey: '-9223372036854775808',
  toKey: '9223372036854775807',
} as const;

/** The number of slices into which the range of keys is divided, for work that is done slice by slice. */
export const SLICES = 64;
const SLICE_BITS = 6;
export const NAMES_OF_RANGE = 20_000;
const KEY_BITS = 64;
const OTHER_BITS = BigInt(KEY_BITS - SLICE_BITS);

const LEAST = BigInt(ALL_KEYS.fromKey);

/**
 * Returns the slice to which a key belongs. Slices follow the order of keys, so that rows written slice by slice are
 * appended to the end of an index.
 */
export function sliceOf(key: Key): number {
  return Number((BigInt(key) - LEAST) >> OTHER_BITS);
}

export function keysOfSlice(slice: number): [Key, Key] {
  const width = 1n << OTHER_BITS;
  const begin = LEAST + BigInt(slice) * width;
  return [begin.toString(), (begin + width - 1n).toString()];
}

/**
 * Divides the keys of a slice into equal ranges, each with its first and last key, in order. There are as few ranges as
 * the number of all names allows, because each range is a statement, which a cluster sends to every node.
 */
export function rangesOfSlice(slice: number, names: number): [Key, Key][] {
  const ranges = Math.max(1, Math.ceil(names / SLICES / NAMES_OF_RANGE));
  const first = BigInt(keysOfSlice(slice)[0]);
  const begins = Array.from(
    { length: ranges + 1 },
    (_, place) => first + ((1n << OTHER_BITS) * BigInt(place)) / BigInt(ranges),
  );
  return begins.slice(1).map((next, place) => [begins[place].toString(), (next - 1n).toString()]);
}
