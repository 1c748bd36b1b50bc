import { Injectable } from '@nestjs/common';
import type { CreditsByOperation, LeaseUse, SetAsideLease, SettleAnswer } from '#libs/contracts';
import { Database, MaintenanceDatabase, type Transaction } from '#libs/database';
import type { ReservationSlice } from '../ledger/reservation.js';
import { type Lease, type NewLease, type RefusedLease, leaseReference } from './lease.js';

/** The name of a lease. Gateways choose the ids, so an id is unique only within its account. */
export interface LeaseName {
  accountId: string;
  leaseId: string;
}

interface LeaseRow {
  account_id: string;
  lease_id: string;
  gateway_id: string;
  state: 'open' | 'closed';
  amount: string;
  reported: string;
  reported_by: CreditsByOperation;
  booked_by: CreditsByOperation;
  consumed: string;
  late: string;
  unbilled: string;
  remaining_ms: number;
  slices: ReservationSlice[];
}

@Injectable()
export class LeasesRepository {
  constructor(
    private readonly database: Database,
    private readonly maintenance: MaintenanceDatabase,
  ) {}

  /** Reads and locks leases in id order, each once. The accounts must be locked already. */
  async list(transaction: Transaction, names: LeaseName[]): Promise<Lease[]> {
    const rows = await transaction.query<LeaseRow>(LIST, columnsOf(names));
    return rows.map((row) => ({
      id: row.lease_id,
      accountId: row.account_id,
      leaseId: row.lease_id,
      gatewayId: row.gateway_id,
      reference: leaseReference(row.lease_id),
      state: row.state,
      amount: Number(row.amount),
      reported: Number(row.reported),
      reportedBy: row.reported_by,
      bookedBy: row.booked_by,
      consumed: Number(row.consumed),
      late: Number(row.late),
      unbilled: Number(row.unbilled),
      remainingMs: row.remaining_ms,
      slices: row.slices,
    }));
  }

  async findRefused(transaction: Transaction, name: LeaseName): Promise<RefusedLease | undefined> {
    const [row] = await transaction.query<Pick<RefusedLease, 'outcome'>>(
      'select outcome from refused_leases where lease_id = $1 and account_id = $2',
      [name.leaseId, name.accountId],
    );
    return row && { ...name, outcome: row.outcome };
  }

  /** Inserts a lease that ends `ttlMs` from now by the database's clock. */
  async insert(transaction: Transaction, lease: NewLease, ttlMs: number): Promise<void> {
    await transaction.query(
      `insert into leases (account_id, lease_id, gateway_id, state, amount, slices, expires_at)
       values ($1, $2, $3, 'open', $4, $5, clock_timestamp() + $6 * interval '1 ms')`,
      [
        lease.accountId,
        lease.leaseId,
        lease.gatewayId,
        lease.amount,
        JSON.stringify(lease.slices),
        ttlMs,
      ],
    );
  }

  async insertRefused(transaction: Transaction, refused: RefusedLease[]): Promise<void> {
    if (refused.length === 0) return;
    await transaction.query(
      `insert into refused_leases (account_id, lease_id, outcome)
       select * from unnest($1::uuid[], $2::uuid[], $3::text[]) on conflict do nothing`,
      [...columnsOf(refused), refused.map(({ outcome }) => outcome)],
    );
  }

  async update(transaction: Transaction, leases: Lease[]): Promise<void> {
    if (leases.length === 0) return;
    await transaction.query(UPDATE, [
      JSON.stringify(
        leases.map(({ accountId, leaseId, state, consumed, late, unbilled, slices, ...by }) => ({
          account_id: accountId,
          lease_id: leaseId,
          state,
          consumed,
          late,
          unbilled,
          slices,
          reported_by: by.reportedBy,
          booked_by: by.bookedBy,
        })),
      ),
    ]);
  }

  /**
   * Stores totals of open leases, each up to the lease's amount. Lower totals, and totals of unknown leases, change
   * nothing. No account is locked, so a damaged account does not make this call fail.
   */
  async report(uses: LeaseUse[]): Promise<void> {
    await this.database.query(REPORT, usesOf(uses));
  }

  /** Lists totals that arrived after their lease's close and are not booked. Call this after `report`. */
  async listLate(uses: LeaseUse[]): Promise<LeaseUse[]> {
    return this.database.query<LeaseUse>(LATE, usesOf(uses));
  }

  /**
   * Reads the answer to a settlement: the gateway's recalled leases, and the balances of the given accounts. Takes no
   * locks, because the answer need not be exact.
   */
  async readAnswer(gatewayId: string, accountIds: string[], now: Date): Promise<SettleAnswer> {
    const [answer] = await this.database.query<SettleAnswer>(ANSWER, [gatewayId, accountIds, now]);
    return answer;
  }

  /**
   * Stores the total of a lease that could not be booked, and the reason. The reaper then skips it for a while. Does
   * nothing if the lease is closed and the total is booked, because the reaper would never try such a lease again.
   */
  async setAside(use: LeaseUse, reason: string): Promise<void> {
    const { accountId, leaseId, consumed, operations = {} } = use;
    const values = [leaseId, accountId, consumed, reason, JSON.stringify(operations)];
    await this.maintenance.query(SET_ASIDE, values);
  }

  /**
   * Lists leases whose credits must be booked: open leases that ended more than `graceMs` ago, and closed leases with a
   * late total that was set aside. Leases that have to wait before they are tried again are omitted.
   */
  async listAbandoned(graceMs: number, limit: number): Promise<LeaseUse[]> {
    return this.maintenance.query<LeaseUse>(ABANDONED, [graceMs, limit]);
  }

  async listSetAside(limit: number): Promise<SetAsideLease[]> {
    return this.maintenance.query<SetAsideLease>(SET_ASIDE_LEASES, [limit]);
  }

  async listUnposted(limit: number): Promise<LeaseUse[]> {
    return this.maintenance.query<LeaseUse>(UNPOSTED, [limit]);
  }

  async deleteRefused(limit: number): Promise<number> {
    const [{ deleted }] = await this.maintenance.query<{ deleted: number }>(DELETE_REFUSED, [
      limit,
    ]);
    return deleted;
  }

  async putReaperWait(): Promise<void> {
    await this.maintenance.query(
      `insert into reaper_waits (since) values (clock_timestamp())
       on conflict (singleton) do update set since = excluded.since`,
    );
  }
}

function columnsOf(names: LeaseName[]): [string[], string[]] {
  return [names.map(({ accountId }) => accountId), names.map(({ leaseId }) => leaseId)];
}

function usesOf(uses: LeaseUse[]): [string[], string[], number[], string[]] {
  const operations = uses.map((use) => JSON.stringify(use.operations ?? {}));
  return [...columnsOf(uses), uses.map(({ consumed }) => consumed), operations];
}

const LIST = `
  select l.account_id, l.lease_id, l.gateway_id, l.state, l.amount, l.reported, l.consumed, l.late,
    l.unbilled, l.slices, l.reported_by, l.booked_by,
    greatest(0, extract(epoch from l.expires_at - clock_timestamp()) * 1000)::int as remaining_ms
  from (select distinct * from unnest($1::uuid[], $2::uuid[]) as n(account_id, lease_id)) n
  join leases l using (lease_id, account_id)
  order by l.lease_id, l.account_id for update of l`;

const UPDATE = `
  update leases l set consumed = n.consumed, late = n.late, unbilled = n.unbilled, slices = n.slices,
    reported = greatest(l.reported, n.consumed), reported_by = n.reported_by, booked_by = n.booked_by,
    posted_at = clock_timestamp(),
    closed_at = case when n.state = 'closed' then coalesce(l.closed_at, clock_timestamp()) end,
    state = n.state, set_aside_until = null, set_aside_count = 0, set_aside_reason = null
  from jsonb_to_recordset($1::jsonb) as n(account_id uuid, lease_id uuid, state text,
    consumed bigint, late bigint, unbilled bigint, slices jsonb, reported_by jsonb, booked_by jsonb)
  where l.lease_id = n.lease_id and l.account_id = n.account_id`;

/** SQL: the highest total of each lease in a call, which may contain several totals of one lease. */
const SAID = `
  said as (
    select distinct on (account_id, lease_id) account_id, lease_id, total, operations
    from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::jsonb[])
      as s(account_id, lease_id, total, operations)
    order by account_id, lease_id, total desc)`;

const REPORT = `
  with ${SAID},
  locked as materialized (
    select l.lease_id, l.account_id, said.total, said.operations
    from said join leases l using (lease_id, account_id)
    where l.state = 'open' and least(said.total, l.amount) > l.reported
    order by l.lease_id, l.account_id for update of l)
  update leases l set reported = greatest(l.reported, least(locked.total, l.amount)),
    reported_by = locked.operations
  from locked where l.lease_id = locked.lease_id and l.account_id = locked.account_id`;

const LATE = `
  with ${SAID}
  select l.account_id as "accountId", l.lease_id as "leaseId", said.total::float8 as consumed,
    said.operations
  from said join leases l using (lease_id, account_id)
  where l.state = 'closed' and least(said.total, l.amount) > l.consumed`;

const ANSWER = `
  select
    (select coalesce(json_agg(lease_id order by lease_id), '[]') from leases
     where gateway_id = $1 and state = 'open' and recalled_at is not null) as recalled,
    (select coalesce(json_object_agg(a.id, a.balance), '{}') from (
       select c.id, coalesce(sum(g.reserved), 0) - (
           select coalesce(sum(reported - consumed), 0) from leases
           where account_id = c.id and state = 'open')
         + coalesce(sum(g.available) filter (
             where c.state = 'active' and (g.expires_at is null or g.expires_at > $3)), 0) as balance
       from credit_accounts c left join credit_grants g on g.account_id = c.id
         and (g.available > 0 or g.reserved > 0)
       where c.id = any($2::uuid[]) group by c.id) a) as balances`;

const SET_ASIDE = `
  update leases set set_aside_reason = $4, set_aside_count = set_aside_count + 1,
    set_aside_until = clock_timestamp() + least(60, set_aside_count + 1) * interval '1 minute',
    reported = greatest(reported, least($3, amount)),
    reported_by = case when $3 > reported then $5 else reported_by end
  where lease_id = $1 and account_id = $2 and (state = 'open' or least($3, amount) > consumed)`;

const SET_ASIDE_LEASES = `
  select account_id as "accountId", lease_id as "leaseId", reported::float8 as reported,
    set_aside_count as failures, set_aside_reason as reason
  from leases where set_aside_until is not null order by lease_id limit $1`;

const ABANDONED = `
  select account_id as "accountId", lease_id as "leaseId", reported::float8 as consumed from leases
  where state = 'open' and expires_at < statement_timestamp() - $1 * interval '1 ms'
    and (set_aside_until is null or set_aside_until < statement_timestamp())
  union all
  select account_id, lease_id, reported::float8 from leases
  where state = 'closed' and reported > consumed and set_aside_until < statement_timestamp()
  limit $2`;

const UNPOSTED = `
  select account_id as "accountId", lease_id as "leaseId", reported::float8 as consumed from leases
  where state = 'open' and reported > consumed and posted_at < clock_timestamp() - interval '1 minute'
    and set_aside_until is null
  limit $1`;

const DELETE_REFUSED = `
  with gone as (
    delete from refused_leases where (lease_id, account_id) in (
      select lease_id, account_id from refused_leases
      where refused_at < statement_timestamp() - interval '5 minutes' limit $1)
    returning 1)
  select count(*)::int as deleted from gone`;
