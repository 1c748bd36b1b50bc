import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { ReservationSlice } from '../ledger/reservation.js';

/** As it is read within its reservation. */
export interface SliceRow {
  grant_id: string;
  amount: number;
  consumed: number;
  returned: number;
  reclaimed: number;
}

/** A column `slices` for whoever selects from leases or holds as `r`. Read after the account's lock. */
export const SLICES = `coalesce((
    select json_agg(s order by s.position) from reservation_slices s
    where s.reservation_id = r.reservation_id), '[]') as slices`;

@Injectable()
export class ReservationsRepository {
  /** Writes the slices of reservations, new ones and what changed of known ones. */
  async putSlices(
    transaction: Transaction,
    reservations: { id: string; slices: ReservationSlice[] }[],
  ): Promise<void> {
    const rows = reservations.flatMap(({ id, slices }) =>
      slices.map((slice, position) => ({
        reservation_id: id,
        position,
        grant_id: slice.grantId,
        amount: slice.amount,
        consumed: slice.consumed,
        returned: slice.returned,
        reclaimed: slice.reclaimed,
      })),
    );
    if (rows.length === 0) return;
    await transaction.query(PUT_SLICES, [JSON.stringify(rows)]);
  }

  /** Credits in open leases of an account that are neither used nor given back. */
  async sumUnsettledLeases(transaction: Transaction, accountId: string): Promise<number> {
    const [{ unsettled }] = await transaction.query<{ unsettled: string }>(
      `select coalesce(sum(s.amount - s.consumed - s.returned), 0) as unsettled
       from leases l join reservation_slices s using (reservation_id)
       where l.account_id = $1 and l.state = 'open'`,
      [accountId],
    );
    return Number(unsettled);
  }

  /** Asks the holders of an account's open leases for what they do not need. */
  async recallLeases(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(
      `update leases set recalled_at = clock_timestamp()
       where account_id = $1 and state = 'open' and recalled_at is null`,
      [accountId],
    );
  }
}

/** First burned first. */
export function toSlices(rows: SliceRow[]): ReservationSlice[] {
  return rows.map(({ grant_id, amount, consumed, returned, reclaimed }) => ({
    grantId: grant_id,
    amount,
    consumed,
    returned,
    reclaimed,
  }));
}

const PUT_SLICES = `
  insert into reservation_slices as s (reservation_id, position, grant_id, amount, consumed, returned,
    reclaimed)
  select * from jsonb_to_recordset($1::jsonb) as n(reservation_id uuid, position smallint,
    grant_id uuid, amount bigint, consumed bigint, returned bigint, reclaimed bigint)
  on conflict (reservation_id, position) do update set
    consumed = excluded.consumed, returned = excluded.returned, reclaimed = excluded.reclaimed
  where (s.consumed, s.returned, s.reclaimed)
    is distinct from (excluded.consumed, excluded.returned, excluded.reclaimed)`;
