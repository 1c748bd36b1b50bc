import type { Problem } from '#libs/platform';
import type { KeyEntry } from '../auth-cache/caller.js';

/** A request that the dashboard sends on behalf of an account, without a key. The dashboard has checked the session. */
export interface OwnQuestion {
  /** The query, as a client would append it to the path. */
  query: string;
  body?: object;
  caller: Promise<KeyEntry | Problem>;
}
