import type { CreditsByOperation } from '#libs/contracts';
import type { Chargeable } from '../reservations/charge.js';

export interface Lease extends Chargeable {
  /** The id that the gateway chose for the lease, unique within its account. */
  leaseId: string;
  gatewayId: string;
  /** The total that the holder last reported; `consumed` is the booked part of it. */
  reported: number;
  /** The credits in `reported` by operation; `bookedBy` has the booked part. */
  reportedBy: CreditsByOperation;
  bookedBy: CreditsByOperation;
  /** How long the lease was still valid when it was read, in milliseconds; 0 after its end. */
  remainingMs: number;
}

export type NewLease = Pick<Lease, 'accountId' | 'leaseId' | 'gatewayId' | 'amount' | 'slices'>;

/**
 * The answer to a call that requested a lease and got nothing. `closed` means that the call to close the lease arrived
 * first.
 */
export interface RefusedLease {
  accountId: string;
  leaseId: string;
  outcome: 'insufficient' | 'elsewhere' | 'closed';
}

export function leaseReference(leaseId: string): string {
  return `lease:${leaseId}`;
}
