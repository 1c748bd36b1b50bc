/**
 * Something that always holds. `sql` returns one row for each case in which it does not. It may read
 * what the set's `scope` defines, so that a pass costs as much as it looks at.
 */
export interface Invariant {
  id: string;
  statement: string;
  sql: string;
}

/** The invariants of one service, and how to select a part of its rows. */
export interface InvariantSet {
  /**
   * Common table expressions (`a as (…), b as (…)`) that say what is looked at. `$1` is a window in
   * milliseconds or null for all time, `$2` and `$3` (text) are the first and the last key of a chunk,
   * null where it has no bound.
   */
  scope: string;
  invariants: readonly Invariant[];
  /**
   * The key (text, as `key`) at which a chunk ends that begins after `$1` (text, null for the start) and
   * holds `$2` keys; no row for the last chunk.
   */
  chunkEnd: string;
}
