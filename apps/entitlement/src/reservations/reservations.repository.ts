import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { ReservationSlice } from '../ledger/reservation.js';

interface SliceRow {
  reservation_id: string;
  grant_id: string;
  amount: string;
  consumed: string;
  returned: string;
  reclaimed: string;
}

@Injectable()
export class ReservationsRepository {
  /** Slices by reservation, first burned first. Read after the account's lock. */
  async listSlices(
    transaction: Transaction,
    reservationIds: string[],
  ): Promise<Map<string, ReservationSlice[]>> {
    if (reservationIds.length === 0) return new Map();
    const rows = await transaction.query<SliceRow>(
      `select * from reservation_slices where reservation_id = any($1)
       order by reservation_id, position`,
      [reservationIds],
    );
    const slices = new Map<string, ReservationSlice[]>();
    for (const id of reservationIds) slices.set(id, []);
    for (const row of rows) slices.get(row.reservation_id)?.push(toSlice(row));
    return slices;
  }

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

function toSlice(row: SliceRow): ReservationSlice {
  return {
    grantId: row.grant_id,
    amount: Number(row.amount),
    consumed: Number(row.consumed),
    returned: Number(row.returned),
    reclaimed: Number(row.reclaimed),
  };
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
