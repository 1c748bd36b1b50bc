import {
  InputReader,
  type Method,
  type Operation,
  type SignedAccess,
  kindOf,
  limitsOf,
  listenerOf,
} from '#libs/contracts';
import type { SessionTerms, Visitors } from '../browser/allow-visitors.js';

export interface ProxiedRoute {
  name: string;
  method: Method;
  /** The public path, with parameters in braces. */
  path: string;
  owner: Operation['owner'];
  parts?: Operation['parts'];
  body?: Operation['body'];
  /** The operation, if it is an upload or a download. */
  transfer?: Operation;
  reader: InputReader;
  /**
   * `owner`: account reads the session itself, and answers some calls without a session. `session`: the dashboard asks
   * account for the session and passes the session's account to the owner. `signed`: the caller is not a browser, and
   * the owner verifies a signature over the original bytes.
   */
  access: 'owner' | 'session' | 'signed';
  /**
   * Who may make the call. The concurrent calls of logged-in visitors are limited per account, whichever service reads
   * the session (S102).
   */
  who: Visitors;
  /** Set if the access is `signed`. */
  signed?: SignedAccess;
  /** The session that is required, if the access is `session`. */
  terms: SessionTerms;
  bodyLimitBytes: number;
  timeoutMs: number;
  answerBytes: number;
}

/**
 * Returns the calls that browsers and signing machines may make on the dashboard's origin, according to the table. All
 * other calls are rejected, whatever an owner offers (S86).
 */
export function proxiedRoutes(operations: readonly Operation[]): ProxiedRoute[] {
  return operations
    .filter((row) => listenerOf(row) === 'dashboard')
    .flatMap((row) =>
      row.routes.map(({ path }): ProxiedRoute => {
        const { name, body, method, owner, parts } = row;
        const access = accessOf(row);
        const { timeoutMs, bodyBytes, answerBytes } = limitsOf(row);
        return {
          name,
          method,
          path,
          owner,
          parts,
          body,
          transfer: kindOf(row) === 'answer' ? undefined : row,
          reader: new InputReader(row),
          access,
          who: whoOf(row),
          signed: row.access.kind === 'signed' ? row.access : undefined,
          terms: row.access.kind === 'session' && access === 'session' ? termsOf(row.access) : {},
          bodyLimitBytes: bodyBytes,
          timeoutMs,
          answerBytes,
        };
      }),
    );
}

function accessOf({ access, owner, parts }: Operation): ProxiedRoute['access'] {
  if (access.kind === 'signed') return 'signed';
  const isOwners = owner.service === 'account' && !parts;
  return isOwners || access.kind === 'public' ? 'owner' : 'session';
}

function whoOf({ access }: Operation): Visitors {
  if (access.kind === 'signed') return 'signed';
  return access.kind === 'session' ? 'logged-in' : 'anyone';
}

function termsOf({
  accountStates = ['active'],
  needsReauthentication,
}: SessionTerms): SessionTerms {
  return { accountStates, needsReauthentication };
}
