/** A request that bears an `Idempotency-Key`. */
export interface KeyedRequest {
  key: string;
  /** SHA-256 of all that the answer depends on. */
  requestHash: Buffer;
  requestId: string;
  begunAt: Date;
  /** When a repeat may take it for lost. */
  runsUntil: Date;
  /** Keys that were used before are free again. */
  keptSince: Date;
}
