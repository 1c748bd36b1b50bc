import { IS_REVIVED } from '../ledger/revived-grants.js';

/** Returns SQL that adds months as PostgreSQL does: to the same day, or to the last day of the month. */
const monthsAfter = (instant: string, months: string) =>
  `((${instant} at time zone 'UTC' + make_interval(months => ${months})) at time zone 'UTC')`;

const milliseconds = (later: string, earlier: string) =>
  `(extract(epoch from ${later} - ${earlier}) * 1000)`;

/**
 * The credits that the lines of each audited account should have granted by now: one row per package, and one per slice
 * that has begun. It is calculated from the lines alone, independently of `payments/slices.ts`.
 */
export const BEGUN_CREDITS = `
  select p.line_id, p.account_id, 'package' as source_type, 0 as index, p.credits::numeric as credits,
    null::timestamptz as slice_start
  from payment_lines p
  where p.kind = 'package' and p.account_id in (select id from audited_accounts)
  union all
  select p.line_id, p.account_id, 'subscription', i, div(
      p.monthly_credits * ${milliseconds('slice.till', 'greatest(slice.start, p.from_at)')}::numeric,
      ${milliseconds('slice.till', 'slice.start')}::numeric),
    slice.start
  from payment_lines p
  join credit_accounts c on c.id = p.account_id
  cross join lateral generate_series(0, case p.period_interval when 'year' then 11 else 0 end) i
  cross join lateral (select ${monthsAfter('p.period_start', 'i')} as start,
    case when i = case p.period_interval when 'year' then 11 else 0 end then p.period_end
      else least(p.period_end, ${monthsAfter('p.period_start', 'i + 1')}) end as till) slice
  where p.subscription_id is not null and p.account_id in (select id from audited_accounts)
    and slice.start < p.period_end and slice.till > p.from_at
    and greatest(slice.start, p.from_at, p.heard_at) <= c.advanced_to`;

/**
 * Returns SQL for the formula of `payments/reversal-target.ts` in integers: ceil(granted × (rem + (1 − rem) × whole)).
 */
const target = (phases: string) => `
  (select least(g.granted, div(
      g.granted * (r.part * r.money + (r.length - r.part) * r.whole) + r.length * r.money - 1,
      r.length * r.money))
    from (select length, money, least(taken, money) as whole, case when cut is null then 0 else
        greatest(0, ${milliseconds('g.slice_end', 'greatest(cut, begin)')}::numeric) end as part
      from (select min(l.from_at) filter (where g.slice_start is not null) as cut,
          greatest(1, max(l.paid_micros) - coalesce(sum(l.refunded_micros) filter (
            where l.scope = 'remaining' and g.slice_start is not null), 0))::numeric as money,
          coalesce(sum(l.refunded_micros) filter (
            where l.scope = 'whole' or g.slice_start is null), 0)::numeric as taken,
          greatest(max(p.from_at), g.slice_start) as begin,
          coalesce(${milliseconds('g.slice_end', 'greatest(max(p.from_at), g.slice_start)')}, 1)::numeric
            as length
        from reversed_lines l join counting_reversals c using (reversal_id, phase)
        join payment_lines p on p.line_id = l.line_id
        where l.line_id = g.line_id and l.phase in (${phases})
        having count(*) > 0) sums) r)`;

/** Returns SQL for the reversal target of revived credits: the part that the original grant could not cover. */
const revivedTarget = (aimedAt: string) => `
  least(g.granted, greatest(0, ${aimedAt} - greatest(0, ended.expired + ended.revoked - g.granted)))`;

/**
 * The two reversal targets of each audited grant: for requested and final reversals together, and for final reversals
 * alone.
 */
export const REVERSAL_TARGETS = `
  select g.id, ${target("'requested', 'final'")} as requested, ${target("'final'")} as final
  from credit_grants g join audited_grants using (id)
  where g.line_id is not null and g.source_type <> 'release'
  union all
  select g.id, ${revivedTarget('ended.requested_target')},
    ${revivedTarget('ended.reversal_target - ended.reserved')}
  from credit_grants g join audited_grants using (id)
  join credit_grants ended on ${IS_REVIVED('g', 'ended')}
  where g.line_id is not null and g.source_type = 'release'`;
