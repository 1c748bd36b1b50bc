import type { Chargeable } from '../reservations/charge.js';

/** A `job` hold stays open until it is closed. A `tombstone` is stored when an id is closed before it was opened. */
export type HoldKind = 'job' | 'request' | 'tombstone';

export interface Hold extends Chargeable {
  /** The Idempotency-Key, request id or job id. It is unique within its account. */
  holdId: string;
  kind: HoldKind;
  /** The operation that uses the credits. */
  operation: string;
}

/** A hold that has not been used yet. */
export type NewHold = Omit<Hold, 'reference' | 'consumed' | 'late' | 'unbilled'>;

/** Returns the hold's name in the ledger. */
export function holdReference(holdId: string): string {
  return `hold:${holdId}`;
}
