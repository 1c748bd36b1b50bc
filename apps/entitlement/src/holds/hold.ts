import type { Chargeable } from '../reservations/charge.js';

/** A `job` hold stays open until it is closed. A `tombstone` is stored when an id is closed before it was opened. */
export type HoldKind = 'job' | 'request' | 'tombstone';

export interface Hold extends Chargeable {
  /** The Idempotency-Key, request id or job id. It is unique within its account. */
  holdId: string;
  kind: HoldKind;
  operation: string;
}

export type NewHold = Omit<Hold, 'reference' | 'consumed' | 'late' | 'unbilled'>;

export function holdReference(holdId: string): string {
  return `hold:${holdId}`;
}
