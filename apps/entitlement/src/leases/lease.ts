import type { CreditsByOperation } from '#libs/contracts';
import type { Chargeable } from '../reservations/charge.js';

export interface Lease extends Chargeable {
  /** The gateway's own id for it, unique in its account. */
  leaseId: string;
  gatewayId: string;
  /** The holder's last total; what of it is booked is `consumed`. */
  reported: number;
  /** The use of `reported` by operation, and the part of it that is booked. */
  reportedBy: CreditsByOperation;
  bookedBy: CreditsByOperation;
  /** Milliseconds that it had left when it was read; 0 from its end on. */
  remainingMs: number;
}

/** A lease that nothing was used of yet. */
export type NewLease = Pick<Lease, 'accountId' | 'leaseId' | 'gatewayId' | 'amount' | 'slices'>;

/** What was once answered to an acquire that gave nothing; `closed` when its close came first. */
export interface RefusedLease {
  accountId: string;
  leaseId: string;
  outcome: 'insufficient' | 'elsewhere' | 'closed';
}

/** The ledger's name for it. */
export function leaseReference(leaseId: string): string {
  return `lease:${leaseId}`;
}
