import { SECOND_MS } from '#libs/platform';
import type { ConnectionFault } from '#libs/resolvers';

/** The time limit for connecting to a receiver. */
export const CONNECT_MS = 5 * SECOND_MS;
/** The time limit for the rest of an answer after its status. */
export const BODY_MS = SECOND_MS;
/** The time limit of a whole attempt. */
export const WHOLE_MS = 10 * SECOND_MS;

/**
 * Why an attempt got no answer or was not made. A host name that does not resolve and one with an internal address get
 * the same word.
 */
export type FaultWord =
  | Exclude<ConnectionFault, 'unresolved' | 'blocked_address'>
  | 'no_public_address'
  | 'webhook_not_active';

/** Why an attempt failed: `http_` and the answer's status, or a word. */
export type FaultCode = FaultWord | `http_${number}`;

/** The result of an attempt. `fault` is absent if the event was accepted. */
export interface TryOutcome {
  responseStatus?: number;
  fault?: FaultCode;
}
