/** Why no connection, or no answer, was to be had: a short word for logs and provenance. */
export type ConnectionFault =
  | 'bad_host'
  | 'blocked_port'
  | 'blocked_address'
  | 'unresolved'
  | 'refused'
  | 'reset'
  | 'unreachable'
  | 'tls_failed'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'answer_timeout'
  | 'cancelled';

/** A connection that was not made or broke. The message names the fault, never an address. */
export class ConnectionError extends Error {
  constructor(
    readonly fault: ConnectionFault,
    cause?: unknown,
  ) {
    super(`No answer from the upstream: ${fault}`, { cause });
  }

  /** The fault behind what a socket, TLS or HTTP client reported. */
  static from(error: unknown): ConnectionError {
    for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
      if (at instanceof ConnectionError) return at;
    }
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return new ConnectionError(faultsByCode.get(code) ?? 'tls_failed', error);
  }
}

const faultsByCode = new Map<string, ConnectionFault>([
  ['ECONNREFUSED', 'refused'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect_timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'first_byte_timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'answer_timeout'],
  ['ENETUNREACH', 'unreachable'],
  ['EHOSTUNREACH', 'unreachable'],
  ['EADDRNOTAVAIL', 'unreachable'],
  ['ETIMEDOUT', 'connect_timeout'],
]);
