/**
 * Returns the values of rows by column, for `unnest`: a statement then has one parameter per column, whatever the
 * number of rows.
 */
export function columnsOf<Row>(rows: readonly Row[], ...columns: (keyof Row)[]): unknown[][] {
  return columns.map((column) => rows.map((row) => row[column]));
}
