import { SECOND_MS } from '#libs/platform';
import type { ConnectionFault } from '#libs/resolvers';

/** The time limits of an attempt: for the connection, for the rest of an answer after its status, and for the whole. */
export const CONNECT_MS = 5 * SECOND_MS;
export const BODY_MS = SECOND_MS;
export const WHOLE_MS = 10 * SECOND_MS;

/** Why an attempt failed without an answer, without disclosing the addresses of a host name. */
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
