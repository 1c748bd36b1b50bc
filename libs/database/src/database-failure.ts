const QUERY_CANCELED = '57014';
/** The error for a write to a server that is, or has become, a standby. */
export const READ_ONLY_TRANSACTION = '25006';
/** Failures of connection, resources, operator intervention and system (PostgreSQL, Appendix A). */
const UNAVAILABLE_CLASSES = ['08', '53', '57', '58'];
const SOCKET_ERRORS = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
];
/** The messages of pg and TypeORM about a connection that is lost or could not be opened; these errors have no code. */
const CONNECTION_TEXTS =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Query runner already released)/;
const CONNECT_TIMEOUT_TEXTS = /connection timeout$|^timeout exceeded when trying to connect/;

/**
 * Whether the database is unavailable for now: no connection is free or can be opened, one was lost, or the server is
 * starting, stopping, read-only or out of space. The causes of the error are also searched.
 */
export function isUnavailable(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === undefined) return isConnectionLoss(error);
  // A statement timeout does not mean that the server is down, so other requests must not be held back.
  if (state === QUERY_CANCELED) return false;
  return state === READ_ONLY_TRANSACTION || UNAVAILABLE_CLASSES.includes(state.slice(0, 2));
}

/**
 * The error of a statement that ran longer than its limit, or that an operator ended. The connection and the server
 * still work.
 */
export class StatementTimeout extends Error {
  /** A flood of requests causes thousands of these errors, so they are logged like other timeouts. */
  readonly isOfLoad = true;

  constructor(cause: unknown) {
    super('a statement was ended because it exceeded its time limit', { cause });
  }
}

/** Whether the server cancelled a statement before it finished. */
export function isCanceled(error: unknown): boolean {
  return sqlStateOf(error) === QUERY_CANCELED;
}

/** Returns the SQLSTATE in an error of PostgreSQL or in its causes; undefined for other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  for (const link of causesOf(error)) {
    // Only errors of PostgreSQL have a severity; without this check a socket's EPIPE would look like an SQLSTATE.
    const { code, severity } = link as { code?: unknown; severity?: unknown };
    if (typeof code === 'string' && typeof severity === 'string') return code;
  }
  return undefined;
}

/** Whether no connection could be opened in time. */
export function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && CONNECT_TIMEOUT_TEXTS.test(error.message);
}

function isConnectionLoss(error: unknown): boolean {
  return causesOf(error).some((link) => {
    const { code, message } = link as { code?: unknown; message?: unknown };
    return (
      SOCKET_ERRORS.includes(String(code)) ||
      (typeof message === 'string' && CONNECTION_TEXTS.test(message))
    );
  });
}

const CHAIN_LIMIT = 5;

/** Lists an error and its causes, including the driver's own error; at most five. */
export function causesOf(error: unknown): object[] {
  const chain: object[] = [];
  let link = error;
  while (typeof link === 'object' && link !== null && chain.length < CHAIN_LIMIT) {
    chain.push(link);
    const { cause, driverError } = link as { cause?: unknown; driverError?: unknown };
    link = driverError ?? cause;
  }
  return chain;
}
