export interface KeyedRequest {
  key: string;
  /** The SHA-256 hash of everything that determines the answer. */
  requestHash: Buffer;
  requestId: string;
  begunAt: Date;
  /** After this time, a repeat may assume that the first request's gateway has crashed. */
  runsUntil: Date;
  /** Keys first used before this time have expired. */
  keptSince: Date;
}
