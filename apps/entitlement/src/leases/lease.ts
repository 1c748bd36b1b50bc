import type { Chargeable } from '../reservations/settlement.js';

/** What was once answered to an acquire; `closed` when the lease was closed before it was asked for. */
export type LeaseOutcome = 'granted' | 'insufficient' | 'elsewhere' | 'closed';

export interface Lease extends Chargeable {
  /** The gateway's own id for it, unique in its account. */
  leaseId: string;
  gatewayId: string;
  outcome: LeaseOutcome;
  isRecalled: boolean;
  /** Milliseconds that it had left when it was read; 0 from its end on. */
  remainingMs: number;
}

/** The ledger's name for it. */
export function leaseReference(leaseId: string): string {
  return `lease:${leaseId}`;
}
