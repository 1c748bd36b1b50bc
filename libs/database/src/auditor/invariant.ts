/**
 * A condition that always holds. `sql` returns one row for each violation. It may read the expressions of the set's
 * `scope`, so that a pass reads only the rows that it checks.
 */
export interface Invariant {
  id: string;
  statement: string;
  sql: string;
  /**
   * True if only the jobs of a running service restore it: it may be violated in a restored backup until the service
   * has run for minutes.
   */
  isKeptByJobs?: true;
}

export interface InvariantSet {
  /**
   * Common table expressions (`a as (…), b as (…)`) that select the checked rows. `$1` is a window in milliseconds or
   * null for all time, `$2` (text) is the key before a chunk, and `$3` (text) its last key; null if there is no bound.
   */
  scope: string;
  invariants: readonly Invariant[];
  /**
   * The last key (text, as `key`) of a chunk that begins after `$1` (text, null for the start) and contains `$2` keys;
   * no row for the last chunk.
   */
  chunkEnd: string;
}
