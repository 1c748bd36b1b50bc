import type { Invariant, InvariantSet } from '#libs/database';

/** The invariants of this service, by the numbers of the whole system's list. */
const INVARIANTS: readonly Invariant[] = [
  {
    id: 'I1',
    statement: 'every transfer has entries of known grants of its account, and they sum to zero',
    sql: `
      select t.id from ledger_transfers t left join ledger_entries e on e.transfer_id = t.id
      left join credit_grants g on g.id = e.grant_id and g.account_id = t.account_id
      where t.recorded_at >= (select since from audited)
        and t.id >= (select least_id(greatest(since, '1970-01-01') - interval '1 hour') from audited)
        and t.account_id in (select id from audited_accounts)
      group by t.id having count(g.id) < 2 or count(g.id) <> count(e.transfer_id)
        or sum(e.amount) <> 0`,
  },
  {
    id: 'I2',
    statement: "a grant's buckets add up to what was granted and none is negative",
    sql: `
      select id from credit_grants join audited_grants using (id)
      where granted <> available + reserved + consumed + expired + revoked
         or least(available, reserved, consumed, expired, revoked) < 0`,
  },
  {
    id: 'I3',
    statement: 'what the ledger says of a grant or an account is what its row says',
    sql: `
      with said as (
        select grant_id, ledger_account, sum(amount) as amount
        from ledger_entries where grant_id in (select id from audited_grants)
        group by grant_id, ledger_account),
      held as (
        select g.id as grant_id, b.ledger_account, b.amount
        from credit_grants g join audited_grants using (id)
        cross join lateral (values ('available', g.available),
          ('reserved', g.reserved), ('consumed', g.consumed), ('expired', g.expired),
          ('revoked', g.revoked), ('issued', -g.granted), ('debt', -g.owed), ('owed', g.owed))
          as b(ledger_account, amount))
      select coalesce(h.grant_id, s.grant_id) as id, coalesce(h.ledger_account, s.ledger_account),
             s.amount as said, h.amount as held
      from held h full join said s using (grant_id, ledger_account)
      where coalesce(s.amount, 0) <> coalesce(h.amount, 0)
      union all
      select c.id, 'available', last.available_after, c.available
      from credit_accounts c join audited_accounts using (id)
      left join lateral (select sum(available) as available from credit_grants
                         where account_id = c.id) g on true
      left join lateral (select available_after from ledger_transfers
                         where account_id = c.id order by id desc limit 1) last on true
      where c.available <> coalesce(g.available, 0)
         or c.available <> coalesce(last.available_after, 0)`,
  },
  {
    id: 'I4',
    statement: 'each line that brings credits has one grant, each started and paid slice has one',
    sql: `
      select p.line_id::text as id from payment_lines p
      left join credit_grants g on g.source_id = p.line_id::text and g.source_type = p.kind
      where p.kind = 'package'
        and p.account_id in (select id from audited_accounts)
      group by p.line_id having count(g.id) <> 1
      union all
      select p.subscription_id || '/' || p.period_start || '/' || i
      from subscription_periods p
      join credit_accounts c on c.id = p.account_id
      cross join lateral generate_series(0, case p.period_interval when 'year' then 11 else 0 end) i
      cross join lateral (
        select (p.period_start at time zone 'UTC' + make_interval(months => i)) at time zone 'UTC'
          as start) slice
      where slice.start <= c.advanced_to and slice.start < p.slices_until
        and slice.start < p.paid_through
        and p.account_id in (select id from audited_accounts)
        and not exists (
          select from reversed_lines r where r.kind = 'subscription' and r.final_share >= 1
            and r.subscription_id = p.subscription_id and r.period_start = p.period_start)
        and not exists (
          select from credit_grants g where g.source_type = 'subscription' and g.source_index = i
            and g.subscription_id = p.subscription_id and g.period_start = p.period_start
            and g.slice_start = slice.start)`,
  },
  {
    id: 'I5',
    statement: 'each grant has exactly one source',
    sql: `
      select g.id from credit_grants g join audited_grants using (id) where 1 <> case g.source_type
        when 'trial' then (select count(*) from trial_claims t
          where t.claim = g.source_id and t.account_id = g.account_id)
        when 'subscription' then (select count(*) from subscription_periods p
          where p.subscription_id = g.subscription_id and p.period_start = g.period_start
            and p.account_id = g.account_id)
        when 'release' then (select count(*) from holds h
          where h.reservation_id::text = g.source_id and h.account_id = g.account_id)
        when 'operator' then (select count(*) from operator_adjustments o
          where o.id::text = g.source_id and o.account_id = g.account_id and o.amount = g.granted)
        else (select count(*) from payment_lines p
          where p.line_id::text = g.source_id and p.kind = g.source_type
            and p.account_id = g.account_id)
      end`,
  },
  {
    id: 'I6',
    statement: 'a lease or hold is used within its amount, and what it holds is what is reserved',
    sql: `
      with reservations as (
        select lease_id::text as id, state, amount, consumed, late, unbilled, slices from leases
        where account_id in (select id from audited_accounts) and (state = 'open'
          or lease_id >= (select least_id(greatest(since, '1970-01-01') - interval '1 hour') from audited)
            and closed_at >= (select since from audited))
        union all
        select reservation_id::text, state, amount, consumed, late, unbilled, slices from holds
        where account_id in (select id from audited_accounts) and kind <> 'tombstone'
          and (state = 'open' or closed_at >= (select since from audited)))
      select r.id from reservations r
      left join lateral (
        select sum(amount) as amount, sum(consumed + reclaimed) as consumed,
          sum(amount - consumed - returned) as rest, min(least(amount - consumed - returned,
            consumed, returned - reclaimed, reclaimed)) as least
        from jsonb_to_recordset(r.slices) as s(amount bigint, consumed bigint, returned bigint,
          reclaimed bigint)) s on true
      where r.consumed > r.amount or r.amount <> coalesce(s.amount, 0) or s.least < 0
         or r.consumed <> coalesce(s.consumed, 0) + r.late + r.unbilled
         or (r.state = 'closed' and coalesce(s.rest, 0) <> 0)
      union all
      select g.id::text from credit_grants g join audited_grants using (id)
      left join (
        select s."grantId" as grant_id, sum(s.amount - s.consumed - s.returned) as held from (
          select slices from leases
          where state = 'open' and account_id in (select id from audited_accounts)
          union all
          select slices from holds
          where state = 'open' and account_id in (select id from audited_accounts)) r
        cross join lateral jsonb_to_recordset(r.slices) as s("grantId" uuid, amount bigint,
          consumed bigint, returned bigint)
        group by s."grantId") h on h.grant_id = g.id
      where g.reserved <> coalesce(h.held, 0)`,
  },
  {
    id: 'I7',
    statement: 'no lease is open over three minutes past its end and the last start of the reaper',
    sql: `
      select l.lease_id as id from leases l left join reaper_waits w on true
      where l.state = 'open'
        and greatest(l.expires_at, w.since) < clock_timestamp() - interval '3 minutes'`,
  },
  {
    id: 'I15',
    statement: "an allowance's version is not behind any of its sources",
    sql: `
      select c.id from credit_accounts c
      join lateral (
        select allowance_version from subscriptions where account_id = c.id
        union all select allowance_version from access_blocks where account_id = c.id
        union all select allowance_version from allowance_overrides where account_id = c.id) s
      on s.allowance_version > c.allowance_version
      where c.id in (select id from audited_accounts)`,
  },
  {
    id: 'I17',
    statement: 'the credits a payment announced are the credits it granted, before reversals',
    sql: `
      select p.payment_id as id from payment_lines p
      left join credit_grants g on g.source_id = p.line_id::text and g.source_type = p.kind
      where p.credits is not null and p.account_id in (select id from audited_accounts)
      group by p.payment_id having sum(p.credits) <> coalesce(sum(g.granted), 0)`,
  },
  {
    id: 'I19',
    statement: 'reversals reach their target, and what they cannot reach is debt',
    sql: `
      with targets as (
        select g.id, g.granted, coalesce(max(r.final_share), 0) as share
        from credit_grants g join audited_grants using (id)
        left join reversed_lines r on r.account_id = g.account_id and case g.source_type
          when 'subscription' then r.kind = 'subscription' and r.subscription_id = g.subscription_id
            and r.period_start = g.period_start
          else r.line_id::text = g.source_id end
        group by g.id)
      select g.id from credit_grants g join targets t using (id)
      left join lateral (select sum(amount) as amount from debt_repayments
                         where reversed_grant_id = g.id) paid on true
      where g.reversal_target <> least(g.granted, ceil(g.granted * t.share))
         or (g.revoked < g.reversal_target and g.available + g.expired > 0)
         or g.owed + g.repaid <>
            least(g.consumed, greatest(0, g.reversal_target - g.revoked - g.reserved))
         or g.repaid <> coalesce(paid.amount, 0)`,
  },
];

/**
 * `audited.since` is an instant of the database's clock; `audited_accounts` and `audited_grants` are
 * whatever moved after it, or a chunk of all accounts.
 */
const SCOPE = `
  audited as materialized (
    select coalesce(clock_timestamp() - $1::float8 * interval '1 ms', '-infinity') as since),
  moved as materialized (
    select id, account_id from ledger_transfers
    where $1::float8 is not null and recorded_at >= (select since from audited)
      and id >= (select least_id(greatest(since, '1970-01-01') - interval '1 hour') from audited)),
  audited_accounts as materialized (
    select id from credit_accounts where $1::float8 is null
      and id > coalesce($2::text, '00000000-0000-0000-0000-000000000000')::uuid
      and id <= coalesce($3::text, 'ffffffff-ffff-ffff-ffff-ffffffffffff')::uuid
    union select account_id from moved),
  audited_grants as materialized (
    select id from credit_grants
    where $1::float8 is null and account_id in (select id from audited_accounts)
    union select e.grant_id from ledger_entries e join moved on moved.id = e.transfer_id)`;

const CHUNK_END = `
  select id::text as key from credit_accounts
  where id > coalesce($1::text, '00000000-0000-0000-0000-000000000000')::uuid
  order by id limit 1 offset $2`;

/** What the auditor of this service checks. */
export const ENTITLEMENT_INVARIANTS: InvariantSet = {
  scope: SCOPE,
  invariants: INVARIANTS,
  chunkEnd: CHUNK_END,
};
