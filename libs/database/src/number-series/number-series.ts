import type { Transaction } from '../transaction.js';

/** The SQL of the table that `takeNumber` uses; it is the same in every schema. */
export const numberSeriesTable = `
create table number_series (
  series text primary key,
  last bigint not null
) with (fillfactor = 50);
`;

/**
 * Takes the next number of a series, from 1, without gaps: a rollback gives the number back, and other transactions
 * that take from the series wait until this transaction ends. Take the number last, with `Transaction.beforeCommit`.
 */
export async function takeNumber(transaction: Transaction, series: string): Promise<number> {
  const [{ last }] = await transaction.query<{ last: string }>(
    `insert into number_series as s (series, last) values ($1, 1)
     on conflict (series) do update set last = s.last + 1 returning last`,
    [series],
  );
  return Number(last);
}
