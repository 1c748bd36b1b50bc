/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  /** Whether the request was sent with a test key. */
  isTest: boolean;
  key: string;
  /** The SHA-256 of all data on which the answer depends. */
  requestHash: Buffer;
  requestId: string;
  begunAt: Date;
  /** After this time, a repeat may assume that the gateway of this request died. */
  runsUntil: Date;
  /** Keys that were first used before this have expired. */
  keptSince: Date;
}
