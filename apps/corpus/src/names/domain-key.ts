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
  return hash('sha256', text, 'buffer').readBigInt64BE(0).toString();
}

/** The least and the greatest key. */
export const ALL_KEYS = {
  fromKey: '-9223372036854775808',
  toKey: '9223372036854775807',
} as const;
