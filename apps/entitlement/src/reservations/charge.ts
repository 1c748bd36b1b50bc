import type { Book } from '../ledger/book.js';
import type { Reservation } from '../ledger/reservation.js';

/** The common members of leases and holds: credits set aside, used cumulatively, given back once. */
export interface Chargeable extends Reservation {
  accountId: string;
  state: 'open' | 'closed';
  /** Credits it was given. Nobody can have used more under it. */
  amount: number;
  /** Cumulative use, late and unbilled credits included. */
  consumed: number;
  /** The part of it taken from other grants after the reservation had given its credits back. */
  late: number;
  /** The part of `consumed` that nobody could be charged for. */
  unbilled: number;
}

/**
 * Brings the use to a cumulative total; repeats and older totals do nothing. What the reservation
 * does not cover any more is a late debit.
 * @returns credits that were charged now: what is left unbilled is not.
 */
export function chargeTo(book: Book, reservation: Chargeable, total: number): number {
  const due = Math.min(total, reservation.amount) - reservation.consumed;
  if (due <= 0) return 0;
  const uncovered = book.consume(reservation, due);
  reservation.consumed += due;
  const { late, unbilled } = book.debitLate(reservation, uncovered);
  reservation.late += late;
  reservation.unbilled += unbilled;
  return due - unbilled;
}

/** Gives back what is left. @returns credits that met an expired grant. */
export function closeReservation(book: Book, reservation: Chargeable): number {
  if (reservation.state === 'closed') return 0;
  reservation.state = 'closed';
  return book.release(reservation);
}
