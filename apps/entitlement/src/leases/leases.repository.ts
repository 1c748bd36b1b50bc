import { Injectable } from '@nestjs/common';
import type { LeaseUse } from '#libs/contracts';
import { Database, MaintenanceDatabase, type Transaction } from '#libs/database';
import {
  type SliceRow,
  SLICES,
  ReservationsRepository,
  toSlices,
} from '../reservations/reservations.repository.js';
import { type Lease, type LeaseOutcome, leaseReference } from './lease.js';

/** Names a lease; ids are the gateways', so they count within an account only. */
export interface LeaseName {
  accountId: string;
  leaseId: string;
}

interface LeaseRow {
  reservation_id: string;
  account_id: string;
  lease_id: string;
  gateway_id: string;
  outcome: LeaseOutcome;
  state: 'open' | 'closed';
  amount: string;
  consumed: string;
  late: string;
  unbilled: string;
  recalled_at: Date | null;
  remaining_ms: number;
  slices: SliceRow[];
}

@Injectable()
export class LeasesRepository {
  constructor(
    private readonly database: Database,
    private readonly maintenance: MaintenanceDatabase,
    private readonly reservations: ReservationsRepository,
  ) {}

  /** Leases with their slices, in account and lease order. Read after the accounts' locks. */
  async list(transaction: Transaction, names: LeaseName[]): Promise<Lease[]> {
    const rows = await transaction.query<LeaseRow>(LIST, columnsOf(names));
    return rows.map((row) => ({
      id: row.reservation_id,
      accountId: row.account_id,
      leaseId: row.lease_id,
      gatewayId: row.gateway_id,
      reference: leaseReference(row.lease_id),
      outcome: row.outcome,
      state: row.state,
      amount: Number(row.amount),
      consumed: Number(row.consumed),
      late: Number(row.late),
      unbilled: Number(row.unbilled),
      isRecalled: row.recalled_at !== null,
      remainingMs: Math.max(0, row.remaining_ms),
      slices: toSlices(row.slices),
    }));
  }

  /** Remembers the answer to an acquire. An open lease ends `ttlMs` from now by the database's clock. */
  async insert(transaction: Transaction, lease: Lease, ttlMs: number): Promise<void> {
    const inserted = transaction.query(
      `insert into leases (reservation_id, account_id, lease_id, gateway_id, outcome, state, amount,
         expires_at, closed_at)
       values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8 * interval '1 ms',
         case when $6 = 'closed' then clock_timestamp() end)`,
      [
        lease.id,
        lease.accountId,
        lease.leaseId,
        lease.gatewayId,
        lease.outcome,
        lease.state,
        lease.amount,
        ttlMs,
      ],
    );
    await Promise.all([inserted, this.reservations.putSlices(transaction, [lease])]);
  }

  async update(transaction: Transaction, leases: Lease[]): Promise<void> {
    const updated = transaction.query(UPDATE, [
      JSON.stringify(
        leases.map(({ id, state, consumed, late, unbilled, isRecalled }) => ({
          id,
          state,
          consumed,
          late,
          unbilled,
          is_recalled: isRecalled,
        })),
      ),
    ]);
    await Promise.all([updated, this.reservations.putSlices(transaction, leases)]);
  }

  /** The uses that say more than is booked, or give something back. Without a lock: a hint. */
  async listUnbooked(uses: LeaseUse[]): Promise<LeaseUse[]> {
    const rows = await this.database.query<{ position: number }>(
      `select n.position::int from leases l
       join unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bool[]) with ordinality
         as n(account_id, lease_id, consumed, gives_back, position) using (account_id, lease_id)
       where least(n.consumed, l.amount) > l.consumed or (n.gives_back and l.state = 'open')
       order by position`,
      [
        ...columnsOf(uses),
        uses.map(({ consumed }) => consumed),
        uses.map(({ keep }) => keep !== undefined),
      ],
    );
    return rows.map(({ position }) => uses[position - 1]);
  }

  async listRecalled(gatewayId: string): Promise<string[]> {
    const rows = await this.database.query<{ lease_id: string }>(
      `select lease_id from leases
       where gateway_id = $1 and state = 'open' and recalled_at is not null order by lease_id`,
      [gatewayId],
    );
    return rows.map((row) => row.lease_id);
  }

  /** Open leases whose end lies more than `graceMs` back by the database's clock. */
  async listAbandoned(graceMs: number, limit: number): Promise<LeaseName[]> {
    return this.maintenance.query<{ accountId: string; leaseId: string }>(
      `select account_id as "accountId", lease_id as "leaseId" from leases
       where state = 'open' and expires_at < clock_timestamp() - $1 * interval '1 ms'
       order by expires_at limit $2`,
      [graceMs, limit],
    );
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

const LIST = `
  select r.*, ${SLICES},
    coalesce(extract(epoch from r.expires_at - clock_timestamp()) * 1000, 0)::int as remaining_ms
  from leases r where (account_id, lease_id) in (select * from unnest($1::uuid[], $2::uuid[]))
  order by account_id, lease_id`;

const UPDATE = `
  update leases l set consumed = n.consumed, late = n.late, unbilled = n.unbilled,
    recalled_at = case when n.is_recalled then l.recalled_at end,
    closed_at = case when n.state = 'closed' then coalesce(l.closed_at, clock_timestamp()) end,
    state = n.state
  from jsonb_to_recordset($1::jsonb) as n(id uuid, state text, consumed bigint, late bigint,
    unbilled bigint, is_recalled bool)
  where l.reservation_id = n.id`;
