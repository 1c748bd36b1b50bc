import { FIRST_ID, USED_SINCE } from '../checkpoints/ledger-sums.js';

/**
 * SQL for the accounts whose displayed usage differs from the ledger. The total must equal the credits that the
 * account's grants consumed, minus those that repaid debt. A full pass sums every day, without the checkpoint. It also
 * compares the last day of usage before the day of the last movement, if the ledger still has an earlier movement. Ids
 * and days of transfers rise together except when the clock stepped back across midnight; the search for transfers
 * therefore begins one day earlier.
 */
export const STATEMENT_DIFFERENCES = `
  select k.id, null as day, k.used + n.used as shown, c.consumed
  from (
    select a.id, case when $1::float8 is null then '-infinity' else s.used_before end as used_before,
      case when $1::float8 is null then 0 else coalesce(s.used, 0) end as used
    from audited_accounts a left join account_checkpoints s on s.account_id = a.id) k
  cross join lateral (${USED_SINCE}) n
  cross join lateral (
    select coalesce(sum(g.consumed), 0) - coalesce(sum(r.amount), 0) as consumed
    from credit_grants g
    left join lateral (select sum(amount) as amount from debt_repayments
                       where reversed_grant_id = g.id) r on true
    where g.account_id = k.id) c
  where k.used + n.used <> c.consumed
  union all
  select a.id, to_char(u.day, 'YYYY-MM-DD'), u.used, l.consumed
  from audited_accounts a
  join credit_accounts c on c.id = a.id
  join ledger_transfers last on last.id = c.last_transfer_id
  cross join lateral (
    select day, day::timestamp at time zone 'UTC' as starts_at, sum(credits) as used
    from used_credits
    where account_id = a.id and day = (select max(day) from used_credits where account_id = a.id
      and day < (last.occurred_at at time zone 'UTC')::date)
    group by day) u
  cross join lateral (
    select id from ledger_transfers where account_id = a.id and occurred_at < u.starts_at
    order by id desc limit 1) earlier
  left join lateral (
    select id from ledger_transfers where account_id = a.id and id <= earlier.id
      and occurred_at < u.starts_at - interval '1 day'
    order by id desc limit 1) before on true
  cross join lateral (
    select coalesce(sum(e.amount), 0) as consumed
    from ledger_transfers t
    join ledger_entries e on e.transfer_id = t.id and e.ledger_account = 'consumed'
    where t.account_id = a.id and t.id > coalesce(before.id, ${FIRST_ID})
      and t.kind in ('consume', 'late_debit')
      and t.occurred_at >= u.starts_at and t.occurred_at < u.starts_at + interval '1 day') l
  where $1::float8 is null and u.used <> l.consumed`;
