/** Longest a statement may run, unless a pool or a transaction says otherwise. */
export const STATEMENT_TIMEOUT_MS = 15_000;
/** The same for an auditor, which reads everything there is, beside the traffic. */
export const AUDIT_TIMEOUT_MS = 120_000;
/** Longest a transaction may wait for its next statement. */
export const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;
