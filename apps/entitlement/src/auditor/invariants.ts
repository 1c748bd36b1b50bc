import type { Invariant, InvariantSet } from '#libs/database';
import { ENTRIES_SINCE, FIRST_ID, LEDGER_AND_GRANT } from '../checkpoints/ledger-sums.js';
import { IS_REVIVED } from '../ledger/revived-grants.js';
import { BEGUN_CREDITS, REVERSAL_TARGETS } from './expected-credits.js';
import { STATEMENT_DIFFERENCES } from './statement-sums.js';

const INVARIANTS: readonly Invariant[] = [
  {
    id: 'I1',
    statement: 'every transfer has entries for known grants of its account, and they sum to zero',
    sql: `
      select t.id from audited_accounts a
      left join account_checkpoints k on k.account_id = a.id
      cross join lateral (
        select id from ledger_transfers
        where account_id = a.id and recorded_at >= (select since from audited)
          and id > case when $1::float8 is null then coalesce(k.through_id, ${FIRST_ID})
            else (select first_id from audited) end
        offset 0) t
      cross join lateral (
        select count(*) as entries, count(g.id) as known, sum(e.amount) as sum
        from ledger_entries e
        left join credit_grants g on g.id = e.grant_id and g.account_id = a.id
        where e.transfer_id = t.id) e
      where e.known < 2 or e.known <> e.entries or e.sum <> 0`,
  },
  {
    id: 'I2',
    statement: "a grant's buckets add up to the granted amount and none is negative",
    sql: `
      select id from credit_grants join audited_grants using (id)
      where granted <> available + reserved + consumed + expired + revoked
         or least(available, reserved, consumed, expired, revoked) < 0`,
  },
  {
    id: 'I3',
    statement: "the ledger's sums for a grant or an account match its row",
    sql: `
      select g.id, b.ledger_account, b.recorded, b.held
      from credit_grants g join audited_grants using (id)
      left join account_checkpoints k on k.account_id = g.account_id
      left join grant_checkpoints s on s.grant_id = g.id
      cross join lateral (${ENTRIES_SINCE}) n
      cross join lateral (values ${LEDGER_AND_GRANT}) as b(ledger_account, recorded, held)
      where b.recorded <> b.held
      union all
      select c.id, 'available', last.available_after, c.available
      from credit_accounts c join audited_accounts using (id)
      left join account_checkpoints k on k.account_id = c.id
      left join lateral (select sum(available) as available from credit_grants
                         where account_id = c.id) g on true
      left join lateral (select available_after from ledger_transfers
                         where account_id = c.id and id >= coalesce(k.through_id, ${FIRST_ID})
                         order by id desc limit 1) last on true
      where c.available <> coalesce(g.available, 0) or c.available <> last.available_after`,
  },
  {
    id: 'I4',
    statement:
      'each line that grants credits has one grant, and so has each slice of a stretch that has begun',
    sql: `
      select b.line_id, b.index from (${BEGUN_CREDITS}) b
      left join credit_grants g on g.source_type = b.source_type and g.line_id = b.line_id
        and g.source_index = b.index and g.account_id = b.account_id
        and g.slice_start is not distinct from b.slice_start
      where b.credits > 0
      group by b.line_id, b.index having count(g.id) <> 1`,
  },
  {
    id: 'I5',
    statement: 'each grant has exactly one source, which belongs to the same account',
    sql: `
      select g.id from credit_grants g join audited_grants using (id) where 1 <> case g.source_type
        when 'trial' then (select count(*) from trial_claims t
          where t.claim = g.source_id and t.account_id = g.account_id)
        when 'release' then
          (select count(*) from holds h
            where h.reservation_id::text = g.source_id and h.account_id = g.account_id) +
          (select count(*) from credit_grants o
            where o.line_id is not distinct from g.line_id
              and ${IS_REVIVED('g', 'o')})
        when 'operator' then (select count(*) from operator_adjustments o
          where o.id::text = g.source_id and o.account_id = g.account_id and o.amount = g.granted)
        else (select count(*) from payment_lines p
          where p.line_id::text = g.source_id and p.line_id = g.line_id
            and p.account_id = g.account_id
            and p.subscription_id is not distinct from g.subscription_id
            and (p.kind = 'package') = (g.source_type = 'package'))
      end
      union all
      select p.line_id from payment_lines p
      where p.account_id in (select id from audited_accounts) and p.subscription_id is not null
        and (exists (select from payment_lines o where o.subscription_id = p.subscription_id
              and o.account_id <> p.account_id)
          or exists (select from subscriptions s where s.id = p.subscription_id
              and s.account_id <> p.account_id))`,
  },
  {
    id: 'I6',
    statement:
      'the usage of a lease or hold does not exceed its amount, and the credits it holds are reserved in its grants',
    sql: `
      with reservations as (
        select lease_id::text as id, state, amount, consumed, late, unbilled, slices from leases
        where state = 'open' and account_id in (select id from audited_accounts)
        union all
        select l.lease_id::text, state, amount, consumed, late, unbilled, slices
        from audited_accounts a
        cross join lateral (
          select * from leases where account_id = a.id and state = 'closed'
            and lease_id >= (select first_lease_id from audited)
            and closed_at >= (select since from audited)
          offset 0) l
        union all
        select h.reservation_id::text, state, amount, consumed, late, unbilled, slices
        from audited_accounts a
        cross join lateral (
          select * from holds where account_id = a.id and state = 'open'
          union all
          select * from holds where account_id = a.id and state = 'closed'
            and closed_at >= (select since from audited)
          offset 0) h)
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
    statement:
      'no lease stays open for more than three minutes after it ends or the reaper starts, whichever is later',
    sql: `
      select l.lease_id as id from leases l left join reaper_waits w on true
      where l.state = 'open'
        and greatest(l.expires_at, w.since) < clock_timestamp() - interval '3 minutes'`,
    isKeptByJobs: true,
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
    statement:
      'before reversals, each paid line has granted exactly the credits that it should grant',
    sql: `
      select coalesce(expected.line_id, found.line_id) as id, expected.credits, found.granted from
        (select b.line_id, sum(b.credits) as credits from (${BEGUN_CREDITS}) b
          where b.credits > 0 group by b.line_id) expected
      full join
        (select line_id, sum(granted) as granted from credit_grants
          where source_type in ('package', 'subscription')
            and account_id in (select id from audited_accounts) group by line_id) found
      using (line_id)
      where expected.credits is distinct from found.granted`,
  },
  {
    id: 'I19',
    statement: 'reversals take the credits that they should, and what they cannot take is debt',
    sql: `
      select g.id from credit_grants g join audited_grants using (id)
      left join (${REVERSAL_TARGETS}) t on t.id = g.id
      left join lateral (select sum(amount) as amount from debt_repayments
                         where reversed_grant_id = g.id) paid on true
      where g.reversal_target <> coalesce(t.final, 0)
         or g.requested_target <> coalesce(t.requested, 0)
         or (g.revoked < g.requested_target and g.available > 0)
         or (g.revoked < g.reversal_target and g.expired > 0)
         or g.owed + g.repaid <>
            least(g.consumed, greatest(0, g.reversal_target - g.revoked - g.reserved))
         or g.repaid <> coalesce(paid.amount, 0)`,
  },
  {
    id: 'I22',
    statement: 'no debt is open while paid credits are available',
    sql: `
      select g.account_id as id from credit_grants g
      where g.account_id in (select id from audited_accounts)
      group by g.account_id having sum(g.owed) > 0 and sum(g.available) filter (
        where g.source_type in ('package', 'subscription')) > 0`,
  },
  {
    id: 'I23',
    statement:
      'the usage that a customer sees, by day and operation, equals the credits consumed in the ledger',
    sql: STATEMENT_DIFFERENCES,
  },
];

/**
 * The rows that a check reads. With a window, `audited_accounts` and `audited_grants` contain the accounts and grants
 * whose credits moved after `audited.since`, a time of the database's clock. Without a window, they contain a range of
 * accounts and all their grants; the auditor then reads the ledger from each account's checkpoint on, and only those
 * closed leases that began within about the last day.
 */
const SCOPE = `
  audited as materialized (
    select since, least_id(greatest(since, '1970-01-01') - interval '1 hour') as first_id,
      least_id(greatest(since, clock_timestamp() - interval '1 day') - interval '1 hour')
        as first_lease_id
    from coalesce(clock_timestamp() - $1::float8 * interval '1 ms', '-infinity') as since),
  moved as materialized (
    select id, account_id from ledger_transfers
    where $1::float8 is not null and recorded_at >= (select since from audited)
      and id >= (select first_id from audited)),
  audited_accounts as materialized (
    select id from credit_accounts where $1::float8 is null
      and id > coalesce($2::text, '00000000-0000-0000-0000-000000000000')::uuid
      and id <= coalesce($3::text, 'ffffffff-ffff-ffff-ffff-ffffffffffff')::uuid
    union select account_id from moved),
  audited_grants as materialized (
    select id from credit_grants
    where $1::float8 is null and account_id in (select id from audited_accounts)
    union select e.grant_id from moved cross join lateral (
      select grant_id from ledger_entries where transfer_id = moved.id offset 0) e)`;

const CHUNK_END = `
  select id::text as key from credit_accounts
  where id > coalesce($1::text, '00000000-0000-0000-0000-000000000000')::uuid
  order by id limit 1 offset $2`;

export const ENTITLEMENT_INVARIANTS: InvariantSet = {
  scope: SCOPE,
  invariants: INVARIANTS,
  chunkEnd: CHUNK_END,
};
