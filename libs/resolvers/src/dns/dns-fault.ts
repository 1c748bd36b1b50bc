export type DnsFaultKind =
  /** No server answered in time. */
  | 'timeout'
  /** No server could be reached or sent a readable answer, or a server denied the root. */
  | 'unreachable'
  /** The caller has disconnected. */
  | 'cancelled'
  /** Too many queries are running, in total or for this account. */
  | 'busy';

/** Thrown for a query without an answer. A negative answer (NXDOMAIN, SERVFAIL) is not a fault. */
export class DnsFault extends Error {
  constructor(
    readonly kind: DnsFaultKind,
    options?: ErrorOptions,
  ) {
    super(kind, options);
  }
}
