import type { Transaction } from '../transaction.js';

/** SQL of the table that `takeNumber` uses, the same in every schema that has one. */
export const numberSeriesTable = `
create table number_series (
  series text primary key,
  last bigint not null
) with (fillfactor = 50);
`;

/**
 * The next number of a series, from 1, without gaps: it is taken only if the transaction commits, and
 * other takers of the series wait for its end. Take it last: `Transaction.beforeCommit`.
 */
export async function takeNumber(transaction: Transaction, series: string): Promise<number> {
  const [{ last }] = await transaction.query<{ last: string }>(
    `insert into number_series as s (series, last) values ($1, 1)
     on conflict (series) do update set last = s.last + 1 returning last`,
    [series],
  );
  return Number(last);
}
