import { CATALOGUE_VERSION, SUBSCRIPTION_PLANS } from '#libs/contracts';
import type { Invariant, InvariantSet } from '#libs/database';

const YEARLY_PLANS = SUBSCRIPTION_PLANS.filter(({ interval }) => interval === 'year')
  .map(({ sku, monthlyMicros }) => `('${sku}', ${monthlyMicros})`)
  .join(', ');

const openFindings = (kind: string) => `
  select f.id, f.subject, f.detail from reconciliation_findings f
  where f.run_id = (select id from reconciliation_runs order by id desc limit 1)
    and f.kind = '${kind}' and not f.is_healed`;

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
    statement:
      'invoices minus credit notes equal payments minus reversals, also for the tax, and none is negative',
    sql: `
      with issued as (
        select payment_id, count(*) filter (where kind = 'invoice') as invoices,
          sum(case kind when 'credit_note' then -total_micros else total_micros end) as micros,
          sum(tax_micros) filter (where kind = 'invoice') as tax,
          sum(case kind when 'credit_note' then -tax_micros else tax_micros end) as tax_left
        from invoices where payment_id in (select id from audited_payments) group by payment_id),
      taken_back as (
        select payment_id, sum(amount_micros) as micros from reversals
        where state = 'final' and payment_id in (select id from audited_payments)
        group by payment_id),
      lost as (
        select payment_id, sum(amount_micros) as micros from losses
        where payment_id in (select id from audited_payments) group by payment_id)
      select p.id from payments p join audited_payments using (id)
      left join issued i on i.payment_id = p.id
      left join taken_back t on t.payment_id = p.id
      left join lost l on l.payment_id = p.id
      where coalesce(i.invoices, 0) <> 1
         or i.micros <> p.amount_micros - p.carried_micros - coalesce(t.micros, 0) + coalesce(l.micros, 0)
         or i.tax <> (select sum(l.tax_micros) from payment_lines l where l.payment_id = p.id)
         or i.micros < 0 or i.tax_left < 0 or i.micros = 0 and i.tax_left <> 0`,
  },
  {
    id: 'I10',
    statement: 'an account has at most one current subscription of a line',
    sql: `
      select account_id as id, line from subscriptions where is_current
      group by account_id, line having count(*) > 1`,
  },
  {
    id: 'I11',
    statement: 'no subscription is renewed after its account was deleted',
    sql: `
      select s.id from subscriptions s join account_states a using (account_id)
      where a.state <> 'active' and s.state in ('trialing', 'active', 'past_due')
        and s.period_start > a.changed_at + interval '1 hour'`,
  },
  {
    id: 'I14',
    statement: 'stored money equals the money at the processors, by the last comparison',
    sql: openFindings('processor'),
  },
  {
    id: 'I17',
    statement:
      'the lines of a payment and its carried-over amount sum to it, and grant the ordered credits',
    sql: `
      select p.id from payments p join audited_payments using (id)
      left join (select payment_id, sum(amount_micros + tax_micros) as micros from payment_lines
        where payment_id in (select id from audited_payments) group by payment_id) l
        on l.payment_id = p.id
      where l.micros is distinct from p.amount_micros - p.carried_micros
      union all
      select l.id from payment_lines l join payments p on p.id = l.payment_id
      join audited_payments a on a.id = p.id
      where l.kind = 'package' and not exists (select from order_lines o
        where o.order_id = p.order_id and o.sku = l.sku and o.credits = l.credits)`,
  },
  {
    id: 'I18',
    statement: 'a year costs twelve months less 17 %, rounded half up to the cent',
    sql: `
      select o.id from order_lines o join orders d on d.id = o.order_id
      join (values ${YEARLY_PLANS}) as plan(sku, monthly) on plan.sku = o.sku
      where d.catalogue_version = '${CATALOGUE_VERSION}'
        and d.id in (select p.order_id from payments p join audited_payments using (id))
        and o.amount_micros <> o.quantity * round(plan.monthly * 12 * 0.83 / 10000) * 10000`,
  },
  {
    id: 'I21',
    statement: 'each paid line is fulfilled or reversed (by the last comparison)',
    sql: openFindings('fulfilment'),
  },
];

/**
 * The payments that a check reads: those that changed in a window, or a range. Each condition is simple, so that a
 * range reads an index: a pass over all payments has a range for every 2,000.
 */
export const BILLING_INVARIANTS: InvariantSet = {
  scope: `
    audited as materialized (
      select clock_timestamp() - $1::float8 * interval '1 millisecond' as since),
    audited_payments as materialized (
      select id from payments where $1::float8 is null
        and id > coalesce($2::text, '00000000-0000-0000-0000-000000000000')::uuid
        and id <= coalesce($3::text, 'ffffffff-ffff-ffff-ffff-ffffffffffff')::uuid
      union select id from payments
        where $1::float8 is not null and confirmed_at >= (select since from audited)
      union select payment_id from reversals
        where $1::float8 is not null and updated_at >= (select since from audited)
      union select payment_id from invoices
        where $1::float8 is not null and issued_at >= (select since from audited)),
    audited_invoices as materialized (
      select id from invoices where payment_id in (select id from audited_payments))`,
  invariants: INVARIANTS,
  chunkEnd: `select id::text as key from payments where $1::uuid is null or id > $1::uuid
    order by id limit 1 offset $2`,
};
