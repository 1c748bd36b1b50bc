/** The values of rows by column, as `unnest` takes them: one parameter a column, whatever the number of rows. */
export function columnsOf<Row>(rows: readonly Row[], ...columns: (keyof Row)[]): unknown[][] {
  return columns.map((column) => rows.map((row) => row[column]));
}
