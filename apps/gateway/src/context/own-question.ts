import type { Problem } from '#libs/platform';
import type { KeyEntry } from '../auth-cache/caller.js';

/** A request of an account without a key, on behalf of a session that the dashboard has checked. */
export interface OwnQuestion {
  /** The query as a client would write it after the path. */
  query: string;
  /** The body, for an operation that takes one. */
  body?: object;
  caller: Promise<KeyEntry | Problem>;
}
