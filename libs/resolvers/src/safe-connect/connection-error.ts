/** Why no connection, or no answer, was to be had: a short word for logs and provenance. */
export type ConnectionFault =
  | 'bad_host'
  | 'blocked_port'
  | 'blocked_address'
  | 'unresolved'
  | 'refused'
  | 'reset'
  | 'unreachable'
  | 'bad_certificate'
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
}
