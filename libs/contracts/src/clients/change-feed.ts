/** The position of a poller in an owner's change feed. The first poll sends none. */
export interface ChangeCursor {
  /** pg_snapshot of the previous poll, as text. */
  snapshot: string;
  /** Highest transaction id (xid8) that was returned so far, `0` for none. */
  highestXid: string;
}

/**
 * Answer of `GET /internal/changes`: the keys (account ids) of the outbox rows that became visible
 * since the cursor. Another `token` than last time means the cursor is worth nothing: drop
 * everything that was cached and go on from the new cursor.
 */
export interface ChangePage {
  token: string;
  cursor: ChangeCursor;
  keys: string[];
}
