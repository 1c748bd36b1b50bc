import type { Transaction } from '../transaction.js';

/** SQL of the table that `takeNumber` uses, the same in every schema that has one. */
export const numberSeriesTable = `
create table number_series (
  series text primary key,
  last bigint not null
) with (fillfactor = 50);
`;

/**
 * Takes the next number of a series, from 1, without gaps: a rollback gives the number back, and other transactions
 * that take from the series wait for the end of this one. Take it last: `Transaction.beforeCommit`.
 */
export async function takeNumber(transaction: Transaction, series: string): Promise<number> {
  const [{ last }] = await transaction.query<{ last: string }>(
    `insert into number_series as s (series, last) values ($1, 1)
     on conflict (series) do update set last = s.last + 1 returning last`,
    [series],
  );
  return Number(last);
}
