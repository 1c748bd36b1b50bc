import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase, type Transaction } from '#libs/database';
import type { ReservationSlice } from '../ledger/reservation.js';
import { type Hold, type HoldKind, type NewHold, holdReference } from './hold.js';

interface HoldRow {
  reservation_id: string;
  account_id: string;
  hold_id: string;
  kind: HoldKind;
  operation: string;
  state: 'open' | 'closed';
  amount: string;
  consumed: string;
  late: string;
  unbilled: string;
  slices: ReservationSlice[];
}

export interface HoldName {
  accountId: string;
  holdId: string;
}

@Injectable()
export class HoldsRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /**
   * Reads a hold with its slices; returns undefined if there is none. The account must be locked
   * already.
   */
  async find(transaction: Transaction, name: HoldName): Promise<Hold | undefined> {
    const [row] = await transaction.query<HoldRow>(
      'select * from holds where account_id = $1 and hold_id = $2',
      [name.accountId, name.holdId],
    );
    if (!row) return undefined;
    return {
      id: row.reservation_id,
      accountId: row.account_id,
      holdId: row.hold_id,
      reference: holdReference(row.hold_id),
      kind: row.kind,
      operation: row.operation,
      state: row.state,
      amount: Number(row.amount),
      consumed: Number(row.consumed),
      late: Number(row.late),
      unbilled: Number(row.unbilled),
      slices: row.slices,
    };
  }

  /** Inserts a hold. A request's hold ends `ttlMs` from now by the database's clock. */
  async insert(transaction: Transaction, hold: NewHold, ttlMs?: number): Promise<void> {
    await transaction.query(
      `insert into holds (reservation_id, account_id, hold_id, kind, state, amount, expires_at,
         closed_at, slices, operation)
       values ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 ms',
         case when $5 = 'closed' then clock_timestamp() end, $8, $9)`,
      [
        hold.id,
        hold.accountId,
        hold.holdId,
        hold.kind,
        hold.state,
        hold.amount,
        ttlMs ?? null,
        JSON.stringify(hold.slices),
        hold.operation,
      ],
    );
  }

  async update(transaction: Transaction, hold: Hold): Promise<void> {
    await transaction.query(
      `update holds set state = $2, consumed = $3, late = $4, unbilled = $5, slices = $6,
         closed_at = case when $2 = 'closed' then coalesce(closed_at, clock_timestamp()) end
       where reservation_id = $1`,
      [hold.id, hold.state, hold.consumed, hold.late, hold.unbilled, JSON.stringify(hold.slices)],
    );
  }

  /** @returns false if the part has already been settled, with this or another count. */
  async insertPart(
    transaction: Transaction,
    hold: Hold,
    part: string,
    count: number,
  ): Promise<boolean> {
    const inserted = await transaction.query(
      `insert into hold_parts (reservation_id, part, count) values ($1, $2, $3)
       on conflict do nothing returning part`,
      [hold.id, part, count],
    );
    return inserted.length > 0;
  }

  /** Makes an account's open holds end after `afterMs`, unless they end earlier. */
  async limit(transaction: Transaction, accountId: string, afterMs: number): Promise<void> {
    await transaction.query(
      `update holds set
         expires_at = least(expires_at, clock_timestamp() + $2 * interval '1 ms')
       where account_id = $1 and state = 'open'`,
      [accountId, afterMs],
    );
  }

  /** Lists open holds whose end has passed by the database's clock. */
  async listAbandoned(limit: number): Promise<HoldName[]> {
    return this.maintenance.query<{ accountId: string; holdId: string }>(
      `select account_id as "accountId", hold_id as "holdId" from holds
       where state = 'open' and expires_at < statement_timestamp() order by expires_at limit $1`,
      [limit],
    );
  }

  /** Lets the end of an abandoned hold be a minute from now. */
  async putOff({ accountId, holdId }: HoldName): Promise<void> {
    await this.maintenance.query(
      `update holds set expires_at = clock_timestamp() + interval '1 minute'
       where account_id = $1 and hold_id = $2 and state = 'open'`,
      [accountId, holdId],
    );
  }

  /**
   * Deletes holds that were closed more than `keptMs` ago, at most `limit`, with their parts. @returns how many it
   * deleted.
   */
  async deleteClosed(keptMs: number, limit: number): Promise<number> {
    const [{ deleted }] = await this.maintenance.query<{ deleted: number }>(DELETE_CLOSED, [
      keptMs,
      limit,
    ]);
    return deleted;
  }
}

/**
 * Ids contain their times, so the old holds are at the beginning of the primary key's index. In an early release, a
 * grant of returned credits named its hold, which the auditor looks for.
 */
const DELETE_CLOSED = `
  with old as materialized (
    select reservation_id from holds h
    where reservation_id < least_id(statement_timestamp() - $1 * interval '1 ms')
      and state = 'closed' and closed_at < statement_timestamp() - $1 * interval '1 ms'
      and not exists (select from credit_grants g
        where g.source_type = 'release' and g.source_id = h.reservation_id::text)
    order by reservation_id limit $2 for update skip locked),
  parts as (delete from hold_parts where reservation_id in (select reservation_id from old)),
  gone as (delete from holds where reservation_id in (select reservation_id from old) returning 1)
  select count(*)::int as deleted from gone`;
