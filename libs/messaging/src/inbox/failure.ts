import { causesOf, isUnavailable, sqlStateOf } from '#libs/database';

/**
 * The reaction to a handler's failure. `pause`: the database is unavailable, so other events would also fail;
 * `permanent`: a retry cannot help; `transient`: a retry may help.
 */
export type FailureClass = 'pause' | 'permanent' | 'transient';

/** The error after which a transport must stop this bucket and deliver its events again later. */
export class ConsumerPaused extends Error {}

/**
 * The error of a handler for an event that is well-formed but contradicts earlier events, so that a retry cannot help.
 * The event is dead-lettered at once, with an alarm.
 */
export class UnacceptableEvent extends Error {}

/**
 * The error for recent events whose month has no partition in the inbox, because the job that creates partitions has
 * not run for a long time.
 */
export class InboxMonthMissing extends Error {}

const CHECK_VIOLATION = '23514';
const PERMANENT_CLASSES = ['22', '23', '42'];

/**
 * Classifies an error by its class, by `isUnavailable` or, otherwise, by the SQLSTATE of the error or its causes
 * (PostgreSQL, Appendix A).
 */
export function classify(error: unknown): FailureClass {
  if (error instanceof UnacceptableEvent) return 'permanent';
  if (error instanceof InboxMonthMissing || isUnavailable(error)) return 'pause';
  const state = sqlStateOf(error);
  return state && PERMANENT_CLASSES.includes(state.slice(0, 2)) ? 'permanent' : 'transient';
}

/** Whether a row fits into no partition of its table (`ExecFindPartition`: 23514, a table and no constraint). */
export function isOutsidePartitions(error: unknown): boolean {
  if (sqlStateOf(error) !== CHECK_VIOLATION) return false;
  return !causesOf(error).some((link) => (link as { constraint?: unknown }).constraint);
}

/** Returns the reason for the operator, at most 1,000 characters, which is stored with the failed event. */
export function reasonOf(error: unknown): string {
  const state = sqlStateOf(error);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return (state ? `${text} (SQLSTATE ${state})` : text).replaceAll('\0', '').slice(0, 1000);
}
