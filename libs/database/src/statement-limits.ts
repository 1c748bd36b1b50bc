/** The time limit of a statement, unless a pool or a transaction sets another limit. */
export const STATEMENT_TIMEOUT_MS = 15_000;
/** The time limit of an auditor's statement, which reads many rows while the service is in use. */
export const AUDIT_TIMEOUT_MS = 120_000;
/** The maximum time that a transaction may wait for its next statement. */
export const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;
/**
 * How much longer than a statement's limit this process waits for the answer. By then, the server would have cancelled
 * the statement, so the server's machine or the network is gone, and no packet says so. The kernel alone would wait for
 * 15 minutes.
 */
export const ANSWER_GRACE_MS = 15_000;
