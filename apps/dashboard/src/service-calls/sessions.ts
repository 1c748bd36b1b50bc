import { NotLoggedIn, ServiceUnavailable } from '#libs/platform';
import type { ServiceProxy, BrowserCaller } from './service-proxy.js';

export interface Session {
  accountId: string;
  personId: string;
  accountState: 'active' | 'deleted' | 'erased';
  /** The operator's reason; null unless the account is suspended. */
  suspendedBecause: string | null;
  /** The time until which a deleted account can be restored, in RFC 3339. */
  restorableUntil?: string;
  /** Whether the person can log in with a password; unknown while the account service runs the previous release. */
  hasPassword?: boolean;
  /** Whether the person logged in or entered the password within the last 10 minutes. */
  isRecent: boolean;
}

/**
 * Returns the session of the visitor's token, which account checks on each call; null without a session.
 * @throws TooManyCalls, ServiceUnavailable.
 */
export async function currentSession(
  account: ServiceProxy,
  visitor: BrowserCaller,
): Promise<Session | null> {
  if (!visitor.sessionToken) return null;
  const path = '/internal/sessions/current';
  const { status, body } = await account.call({
    method: 'GET',
    path,
    visitor,
    isSessionCheck: true,
  });
  if (status !== 200) throw new ServiceUnavailable('account');
  return (body as { session: Session | null }).session;
}

/** Returns the session. @throws NotLoggedIn if there is none; the errors of `currentSession`. */
export async function requireSession(
  account: ServiceProxy,
  visitor: BrowserCaller,
): Promise<Session> {
  const session = await currentSession(account, visitor);
  if (!session) throw new NotLoggedIn();
  return session;
}
