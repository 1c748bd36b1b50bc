import type { CreditsByOperation } from '#libs/contracts';
import type { Chargeable } from '../reservations/charge.js';

export interface Lease extends Chargeable {
  /** The id that the gateway chose for the lease, unique within its account. */
  leaseId: string;
  gatewayId: string;
  /** The holder's last total; the booked part is `consumed`. */
  reported: number;
  /** The credits of `reported` by operation; `bookedBy` is the booked part. */
  reportedBy: CreditsByOperation;
  bookedBy: CreditsByOperation;
  /** The milliseconds that the lease had left when it was read; 0 after its end. */
  remainingMs: number;
}

/** A lease without any use yet. */
export type NewLease = Pick<Lease, 'accountId' | 'leaseId' | 'gatewayId' | 'amount' | 'slices'>;

/** The answer to an acquire call that granted nothing; `closed` if the close of its lease came first. */
export interface RefusedLease {
  accountId: string;
  leaseId: string;
  outcome: 'insufficient' | 'elsewhere' | 'closed';
}

/** Returns the lease's name in the ledger. */
export function leaseReference(leaseId: string): string {
  return `lease:${leaseId}`;
}
