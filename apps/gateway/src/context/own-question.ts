import type { Problem } from '#libs/platform';
import type { KeyEntry } from '../auth-cache/caller.js';

/** A question of an account without a key, by the session that the dashboard has checked. */
export interface OwnQuestion {
  /** The query, as a client would write it behind the path. */
  query: string;
  /** Set for an operation that has one. */
  body?: object;
  caller: Promise<KeyEntry | Problem>;
}
