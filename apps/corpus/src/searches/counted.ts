import type { Total } from '#libs/contracts';

/** Records are counted exactly up to this many. */
export const COUNTED_MAX = 10_000;

/** SQL that counts the rows of a query, and stops a row behind the limit. */
export function countOf(query: string): string {
  return `select count(*)::int as records from (${query} limit ${COUNTED_MAX + 1}) counted`;
}

/** A count of `countOf`, as a page says it. */
export function totalOf(records: number): Total {
  return records > COUNTED_MAX
    ? { records: COUNTED_MAX, is: 'at_least' }
    : { records, is: 'exact' };
}
