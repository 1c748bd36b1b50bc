import type { Total } from '#libs/contracts';

export const COUNTED_MAX = 10_000;

/** Returns SQL that counts the rows of a query, up to the first row beyond the limit. */
export function countOf(query: string): string {
  return `select count(*)::int as records from (${query} limit ${COUNTED_MAX + 1}) counted`;
}

/** Converts the result of `countOf` to the total of a page. */
export function totalOf(records: number): Total {
  return records > COUNTED_MAX
    ? { records: COUNTED_MAX, is: 'at_least' }
    : { records, is: 'exact' };
}

export interface CountedRows<Row> {
  total: Total;
  /** Undefined if there are more rows than are counted, because the query then stopped before the end. */
  rows?: Row[];
}

export type CountedRow<Row> = { records: number } | (Row & { records: null });

/**
 * Returns SQL that runs a query once, for the number of its rows and for a page of them.
 * @param query the query; `order` and `after` name its columns.
 * @param page `after` is true for the rows after the previous page; `limitClause` has the numbers of rows to read and
 *   to skip.
 */
export function countedPage(
  query: string,
  { after, order, limitClause }: Record<'after' | 'order' | 'limitClause', string>,
): string {
  return `with found as materialized (${query} limit ${COUNTED_MAX + 1}),
    counted as (select count(*)::int as records from found)
    select counted.records, page.* from counted full join (
      select * from found where ${after} and (select records from counted) <= ${COUNTED_MAX}
      order by ${order} ${limitClause}) page on false
    order by ${order}`;
}

/** Reads the rows of `countedPage`. */
export function countedRows<Row>(rows: readonly CountedRow<Row>[]): CountedRows<Row> {
  const count = rows.find(({ records }) => records !== null)?.records ?? 0;
  if (count > COUNTED_MAX) return { total: totalOf(count) };
  const isOfPage = (row: CountedRow<Row>) => row.records === null;
  return { total: totalOf(count), rows: rows.filter(isOfPage) as Row[] };
}
