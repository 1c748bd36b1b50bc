import type { Chargeable } from '../reservations/charge.js';

/** `job` has no end while the job lives; `tombstone` was closed before it was opened. */
export type HoldKind = 'job' | 'request' | 'tombstone';

export interface Hold extends Chargeable {
  /** The Idempotency-Key, the request id or the job id; unique in its account. */
  holdId: string;
  kind: HoldKind;
  /** Its use. */
  operation: string;
}

/** A hold that nothing was used of yet. */
export type NewHold = Omit<Hold, 'reference' | 'consumed' | 'late' | 'unbilled'>;

/** The ledger's name for it. */
export function holdReference(holdId: string): string {
  return `hold:${holdId}`;
}
