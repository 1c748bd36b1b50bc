import type { RateLimitResult } from '#libs/counters';
import type { Problem } from '#libs/platform';
import type { KeyEntry } from '../auth-cache/caller.js';
import type { PathMatch } from '../routes/api-paths.js';

/** A request within another one: a lookup from a page of the dashboard, or a tool call of MCP. */
export interface CarriedRequest {
  /** The query, as a client would append it to the path. */
  query: string;
  /** Set if the path has parameters. */
  match?: PathMatch;
  body?: object;
  /** The caller of a request without a key. The dashboard sends these for an account whose session it has checked. */
  caller?: Promise<KeyEntry | Problem>;
  /** Set if the address has been counted already, as part of the request that carries this one. */
  rate?: RateLimitResult;
}
