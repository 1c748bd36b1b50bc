import type { Book, LostCredits } from '../ledger/book.js';
import type { Reservation } from '../ledger/reservation.js';

/** The common members of leases and holds: both reserve credits, use them cumulatively and release the rest once. */
export interface Chargeable extends Reservation {
  accountId: string;
  state: 'open' | 'closed';
  /** Granted credits, which are the most that can be used. */
  amount: number;
  /** The cumulative use, including late and unbilled credits. */
  consumed: number;
  /** The part taken from other grants after the reservation had released its credits. */
  late: number;
  /** The part of `consumed` that could not be charged. */
  unbilled: number;
}

/**
 * Raises the use to a cumulative total; repeats and older totals have no effect. Use that the reservation no longer
 * covers is a late debit.
 * @returns credits that were charged now, without the unbilled part.
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

/** Releases the rest. @returns credits that belong to expired grants. */
export function closeReservation(book: Book, reservation: Chargeable): LostCredits[] {
  if (reservation.state === 'closed') return [];
  reservation.state = 'closed';
  return book.release(reservation);
}
