import type { Book, LostCredits } from '../ledger/book.js';
import type { Reservation } from '../ledger/reservation.js';

/**
 * The common part of leases and holds: both reserve credits, use them by cumulative totals and release the unused
 * credits once.
 */
export interface Chargeable extends Reservation {
  accountId: string;
  state: 'open' | 'closed';
  /** The granted credits, which limit the usage. */
  amount: number;
  /** The cumulative usage, including late and unbilled credits. */
  consumed: number;
  /** The spendable credits that were taken in addition, after the reservation had released its own. */
  late: number;
  /** The part of `consumed` that could not be charged. */
  unbilled: number;
}

/**
 * Raises the usage to a cumulative total, at most to the reservation's amount. Repeated and lower totals have no
 * effect. Usage that the reservation no longer covers is a late debit.
 * @returns the credits charged now, without the unbilled ones.
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

/**
 * Closes a reservation and releases its unused credits, unless it is already closed.
 * @returns the released credits that belong to expired grants.
 */
export function closeReservation(book: Book, reservation: Chargeable): LostCredits[] {
  if (reservation.state === 'closed') return [];
  reservation.state = 'closed';
  return book.release(reservation);
}
