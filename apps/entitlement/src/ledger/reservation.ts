/** The credits of a lease or hold that came from one grant. `amount` = consumed + returned + still reserved. */
export interface ReservationSlice {
  grantId: string;
  amount: number;
  consumed: number;
  returned: number;
  /** The returned credits that a late debit took. */
  reclaimed: number;
  /** The id of the grant in which the returned credits were revived, if they were. */
  revivedIn?: string;
}

/** The reserved credits of a lease or hold, in burn order. */
export interface Reservation {
  id: string;
  /** The name of the lease or hold in the ledger: `lease:<id>` or `hold:<id>`. */
  reference: string;
  slices: ReservationSlice[];
}

/** Returns the credits of a slice that are neither used nor released. */
export function restOf(slice: ReservationSlice): number {
  return slice.amount - slice.consumed - slice.returned;
}

export function reservedRest(reservation: Reservation): number {
  return reservation.slices.reduce((sum, slice) => sum + restOf(slice), 0);
}
