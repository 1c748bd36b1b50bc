import type { Chargeable } from '../reservations/charge.js';

/** A `job` hold has no end while the job exists; a `tombstone` was closed before it was opened. */
export type HoldKind = 'job' | 'request' | 'tombstone';

export interface Hold extends Chargeable {
  /** The Idempotency-Key, the request id or the job id; unique within its account. */
  holdId: string;
  kind: HoldKind;
  /** The operation for which its credits are used. */
  operation: string;
}

/** A hold without any use yet. */
export type NewHold = Omit<Hold, 'reference' | 'consumed' | 'late' | 'unbilled'>;

/** Returns the hold's name in the ledger. */
export function holdReference(holdId: string): string {
  return `hold:${holdId}`;
}
