/** The reason why a query has no answer. */
export type DnsFaultKind =
  /** No server answered in time. */
  | 'timeout'
  /** The servers refused, could not be reached or sent what cannot be read. */
  | 'unreachable'
  /** The caller has gone. */
  | 'cancelled'
  /** More queries are running than this process allows. */
  | 'busy';

/** A question without an answer. An answer that says no (NXDOMAIN, SERVFAIL) is not one of these. */
export class DnsFault extends Error {
  constructor(
    readonly kind: DnsFaultKind,
    options?: ErrorOptions,
  ) {
    super(kind, options);
  }
}
