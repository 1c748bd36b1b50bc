import { isIP } from 'node:net';
import type { WebhookAnswer, WebhookEvent, WebhookState } from '#libs/contracts';
import { InvalidRequest, isLoopbackHost } from '#libs/platform';
import { isBlockedAddress } from '#libs/resolvers';

/** A customer's webhook and the event types to which it subscribes. */
export interface Webhook {
  id: string;
  accountId: string;
  url: string;
  events: WebhookEvent[];
  state: WebhookState;
  createdAt: Date;
  failingSince: Date | null;
  previousUntil: Date | null;
}

export function webhookAnswer(webhook: Webhook): WebhookAnswer {
  const { id, url, events, state, createdAt, failingSince, previousUntil } = webhook;
  return {
    status: true,
    id,
    url,
    events,
    state,
    created_at: createdAt.toISOString(),
    failing_since: failingSince?.toISOString() ?? null,
    previous_secret_until: previousUntil?.toISOString() ?? null,
  };
}

/** Matches the part of a URL between scheme and path: the host, possibly with a user and a port. */
const AUTHORITY = /^[^:]*:[/\\\s]*([^/\\?#]*)/;
const AUTHORITY_LENGTH_MAX = 260;

/**
 * Returns the URL as it will be used, without a fragment. The addresses of its host are checked at each connection.
 * @throws InvalidRequest.
 */
export function readUrl(text: string): string {
  // Converting a long host to A-labels takes a long time.
  const isLong = (AUTHORITY.exec(text)?.[1].length ?? 0) > AUTHORITY_LENGTH_MAX;
  const url = isLong ? null : URL.parse(text);
  const faults =
    url === null ? ['must be a URL such as https://hooks.example.com/path'] : faultsOf(url);
  if (faults.length > 0) {
    throw new InvalidRequest(faults.map((message) => ({ field: 'url', message })));
  }
  url!.hash = '';
  return url!.href;
}

function faultsOf({ protocol, port, username, password, hostname }: URL): string[] {
  const address = hostname.replace(/^\[|\]$/g, '');
  const name = hostname.replace(/\.$/, '');
  const isNamed = name.includes('.') && !isLoopbackHost(name);
  const isPublic = isIP(address) === 0 ? isNamed : !isBlockedAddress(address);
  return [
    ...(protocol === 'https:' ? [] : ['must begin with https://']),
    ...(port === '' ? [] : ['must not name a port other than 443']),
    ...(username === '' && password === '' ? [] : ['must not contain a user name or a password']),
    ...(isPublic ? [] : ['must name a public host']),
  ];
}
