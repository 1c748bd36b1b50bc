export type DnsFaultKind =
  /** No server answered in time. */
  | 'timeout'
  /** The servers refused, could not be reached or sent unreadable answers. */
  | 'unreachable'
  /** The caller has disconnected. */
  | 'cancelled'
  /** More queries are running than this process allows. */
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
