/** The position of a poller in an owner's change feed. The first poll has none. */
export interface ChangeCursor {
  /** The `pg_snapshot` of the previous poll, as text. */
  snapshot: string;
  /** The highest transaction id (xid8) returned so far; `0` for none. */
  highestXid: string;
}

/**
 * The answer of `POST /internal/changes`: the keys (account ids) of the outbox rows that became visible since the
 * cursor. If `token` differs from the last one, the cursor is invalid: discard the whole cache and continue from the
 * new cursor.
 */
export interface ChangePage {
  token: string;
  cursor: ChangeCursor;
  keys: string[];
}
