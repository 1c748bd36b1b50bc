import { SECOND_MS, counted } from '#libs/platform';
import { CONNECT_MS, type FaultWord, WHOLE_MS } from './try-outcome.js';

const UNANSWERED = `The receiver did not answer within ${counted(WHOLE_MS / SECOND_MS, 'second')}.`;
const TEXTS: Readonly<Record<FaultWord, string>> = {
  no_public_address:
    'The host name does not resolve to a public address. Events are sent to public hosts only. For a receiver in a closed network or on your own machine, the operator sets WORKER_WEBHOOK_EXCEPTIONS.',
  bad_host: 'The URL has no valid host name.',
  blocked_port: 'Events are sent to port 443 only.',
  refused: 'The receiver refuses connections on port 443.',
  reset: 'The receiver closed the connection before it answered.',
  unreachable: 'The receiver could not be reached.',
  connect_timeout: `The receiver accepted no connection within ${counted(CONNECT_MS / SECOND_MS, 'second')}.`,
  first_byte_timeout: UNANSWERED,
  answer_timeout: UNANSWERED,
  tls_failed:
    'The certificate of the receiver was not accepted: it must be valid for the host name and issued by a public authority, or by an authority in WORKER_EXTRA_CA_FILE.',
  protocol_error: 'The receiver did not answer with HTTP.',
  cancelled: 'The attempt was interrupted and will be repeated.',
  webhook_not_active: 'The webhook was paused or disabled. Send the event again once it is active.',
};

const TEXTS_BY_CODE = new Map(Object.entries(TEXTS));

/**
 * Returns a text that says why an attempt failed and, for some faults, what to do. @param fault a `FaultCode`, or a
 * code of an earlier version.
 */
export function faultText(fault: string): string {
  const [, status] = /^http_([0-9]{3})$/.exec(fault) ?? [];
  if (status === undefined) return TEXTS_BY_CODE.get(fault) ?? 'The event could not be delivered.';
  const redirect = status.startsWith('3') ? ' Redirects are not followed.' : '';
  return `The receiver answered with status ${status}; a status from 200 to 299 accepts the event.${redirect}`;
}
