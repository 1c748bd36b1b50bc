/** Why there was no connection or no answer: a short word, for logs and provenance. */
export type ConnectionFault =
  | 'bad_host'
  | 'blocked_port'
  | 'blocked_address'
  | 'unresolved'
  | 'refused'
  | 'reset'
  | 'unreachable'
  | 'tls_failed'
  | 'protocol_error'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'answer_timeout'
  | 'cancelled';

/** Thrown for a connection that failed or broke. The message contains the fault, never an address. */
export class ConnectionError extends Error {
  constructor(
    readonly fault: ConnectionFault,
    cause?: unknown,
  ) {
    super(`No answer from the upstream: ${fault}`, { cause });
  }

  /**
   * Returns the `ConnectionError` among an error and its causes, or wraps an error of a socket, of TLS or of an HTTP
   * client in a new one.
   */
  static from(error: unknown): ConnectionError {
    let at = error;
    for (let depth = 0; depth < CAUSES_MAX && at !== undefined; depth += 1) {
      if (at instanceof ConnectionError) return at;
      at = memberOf(at, 'cause');
    }
    const code = String(memberOf(error, 'code'));
    const isTls = /^(CERT_|DEPTH_|EPROTO|ERR_SSL|ERR_TLS|HOSTNAME_|SELF_|UNABLE_)/.test(code);
    const fault = FAULTS_BY_CODE.get(code) ?? (isTls ? 'tls_failed' : 'protocol_error');
    return new ConnectionError(fault, error);
  }
}

const CAUSES_MAX = 5;

function memberOf(value: unknown, member: 'cause' | 'code'): unknown {
  return typeof value === 'object' && value !== null && member in value
    ? (value as Record<typeof member, unknown>)[member]
    : undefined;
}

const FAULTS_BY_CODE = new Map<string, ConnectionFault>([
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
