import type { Invariant, InvariantSet } from '#libs/database';

/** The invariants of this service, by the numbers of the whole system's list. */
const INVARIANTS: readonly Invariant[] = [
  {
    id: 'I8',
    statement: 'invoice numbers have no gap, and the series ends with the last of them',
    sql: `
      select i.id, i.series, i.number from invoices i join audited_invoices using (id)
      where i.number > 1 and not exists (
        select from invoices before where before.series = i.series and before.number = i.number - 1)
      union all
      select i.id, i.series, i.number from invoices i join audited_invoices using (id)
      where not exists (
        select from number_series s where s.series = i.series and s.last >= i.number)
      union all
      select null, s.series, s.last from number_series s
      where not exists (select from invoices i where i.series = s.series and i.number = s.last)`,
  },
  {
    id: 'I9',
    statement: 'invoices less credit notes are what was paid less what was taken back',
    sql: `
      with issued as (
        select payment_id, count(*) filter (where kind = 'invoice') as invoices,
          sum(case kind when 'credit_note' then -total_micros else total_micros end) as micros
        from invoices where payment_id in (select id from audited_payments) group by payment_id),
      taken_back as (
        select payment_id, sum(amount_micros) as micros from reversals
        where state = 'final' and payment_id in (select id from audited_payments)
        group by payment_id)
      select p.id from payments p join audited_payments using (id)
      left join issued i on i.payment_id = p.id
      left join taken_back t on t.payment_id = p.id
      where coalesce(i.invoices, 0) <> 1
         or i.micros <> p.amount_micros - coalesce(t.micros, 0)`,
  },
];

/** Payments that something happened to, with all their invoices and notes. */
export const BILLING_INVARIANTS: InvariantSet = {
  scope: `
    audited as materialized (
      select clock_timestamp() - $1::float8 * interval '1 millisecond' as since,
        $2::uuid as after, $3::uuid as till),
    audited_payments as materialized (
      select p.id from payments p cross join audited a
      where case when a.since is null
        then (a.after is null or p.id > a.after) and (a.till is null or p.id <= a.till)
        else p.confirmed_at >= a.since
          or exists (select from reversals r where r.payment_id = p.id and r.updated_at >= a.since)
          or exists (select from invoices i where i.payment_id = p.id and i.issued_at >= a.since)
        end),
    audited_invoices as materialized (
      select id from invoices where payment_id in (select id from audited_payments))`,
  invariants: INVARIANTS,
  chunkEnd: `select id::text as key from payments where $1::uuid is null or id > $1::uuid
    order by id limit 1 offset $2`,
};
