import type { CreditsByOperation } from '#libs/contracts';
import type { Chargeable } from '../reservations/charge.js';

export interface Lease extends Chargeable {
  /** The gateway's own id for it, unique within its account. */
  leaseId: string;
  gatewayId: string;
  /** The holder's last total; the booked part is `consumed`. */
  reported: number;
  /** The use in `reported` by operation, and the booked part of it. */
  reportedBy: CreditsByOperation;
  bookedBy: CreditsByOperation;
  /** The milliseconds left when it was read; 0 after its end. */
  remainingMs: number;
}

/** A lease without any use yet. */
export type NewLease = Pick<Lease, 'accountId' | 'leaseId' | 'gatewayId' | 'amount' | 'slices'>;

/** The answer to an acquire that granted nothing; `closed` if its close came first. */
export interface RefusedLease {
  accountId: string;
  leaseId: string;
  outcome: 'insufficient' | 'elsewhere' | 'closed';
}

/** Its name in the ledger. */
export function leaseReference(leaseId: string): string {
  return `lease:${leaseId}`;
}
