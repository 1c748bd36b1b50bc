/**
 * What is to be done about a handler's failure.
 * `pause`: the database is unavailable, nothing else would fare better; `permanent`: no repetition helps;
 * `transient`: it may help.
 */
export type FailureClass = 'pause' | 'permanent' | 'transient';

/** Thrown to a transport that must stop this bucket and deliver again later. */
export class ConsumerPaused extends Error {}

/**
 * Thrown by a handler for an event that is well-formed and yet can never be right: it contradicts what
 * was said before. It is dead at once, with an alarm.
 */
export class UnacceptableEvent extends Error {}

/** The inbox's partition of a month is not there yet: the job that makes it has stood still for long. */
export class InboxMonthMissing extends Error {}

const CHECK_VIOLATION = '23514';
const QUERY_CANCELED = '57014';
const READ_ONLY_TRANSACTION = '25006';
const PAUSING_CLASSES = ['08', '53', '57', '58'];
const PERMANENT_CLASSES = ['22', '23', '42'];

/** By SQLSTATE (PostgreSQL, Appendix A); causes are looked through. */
export function classify(error: unknown): FailureClass {
  if (error instanceof UnacceptableEvent) return 'permanent';
  if (error instanceof InboxMonthMissing) return 'pause';
  const state = sqlStateOf(error);
  if (state === undefined) return isConnectionLoss(error) ? 'pause' : 'transient';
  // A statement time-out does not mean that the server is down; others must not wait for it.
  if (state === QUERY_CANCELED) return 'transient';
  if (state === READ_ONLY_TRANSACTION) return 'pause';
  const sqlClass = state.slice(0, 2);
  if (PAUSING_CLASSES.includes(sqlClass)) return 'pause';
  return PERMANENT_CLASSES.includes(sqlClass) ? 'permanent' : 'transient';
}

/** A row that no partition of its table takes (`ExecFindPartition`: 23514, a table and no constraint). */
export function isOutsidePartitions(error: unknown): boolean {
  if (sqlStateOf(error) !== CHECK_VIOLATION) return false;
  return !chainOf(error).some((link) => (link as { constraint?: unknown }).constraint);
}

/** One line for the operator: kept with the failed event. */
export function reasonOf(error: unknown): string {
  const state = sqlStateOf(error);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return (state ? `${text} (SQLSTATE ${state})` : text).replaceAll('\0', '').slice(0, 1000);
}

function sqlStateOf(error: unknown): string | undefined {
  for (const link of chainOf(error)) {
    // PostgreSQL's errors carry a severity; a socket's EPIPE would look like a state, too.
    const { code, severity } = link as { code?: unknown; severity?: unknown };
    if (typeof code === 'string' && typeof severity === 'string') return code;
  }
  return undefined;
}

const SOCKET_ERRORS = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
];
/** How pg says, without a code, that its connection is lost or none could be had; then TypeORM. */
const CONNECTION_TEXTS =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query runner already released)/;

function isConnectionLoss(error: unknown): boolean {
  return chainOf(error).some((link) => {
    const { code, message } = link as { code?: unknown; message?: unknown };
    return (
      SOCKET_ERRORS.includes(String(code)) ||
      (typeof message === 'string' && CONNECTION_TEXTS.test(message))
    );
  });
}

const CHAIN_LIMIT = 5;

function chainOf(error: unknown): object[] {
  const chain: object[] = [];
  let link = error;
  while (typeof link === 'object' && link !== null && chain.length < CHAIN_LIMIT) {
    chain.push(link);
    const { cause, driverError } = link as { cause?: unknown; driverError?: unknown };
    link = driverError ?? cause;
  }
  return chain;
}
