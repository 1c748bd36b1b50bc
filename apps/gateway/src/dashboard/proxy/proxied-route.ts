import { InputReader, type Method, type Operation, listenerOf } from '#libs/contracts';
import { JSON_BODY_LIMIT_BYTES } from '#libs/platform';
import type { SessionTerms, Visitors } from '../browser/allow-visitors.js';

/** One call of the dashboard's origin that its owner answers: another service, or the gateway itself. */
export interface ProxiedRoute {
  /** The name of its row. */
  name: string;
  method: Method;
  /** Public path; parameters in braces. */
  path: string;
  owner: Operation['owner'];
  /** Who answers the rest of an answer in parts. */
  parts?: Operation['parts'];
  body?: Operation['body'];
  reader: InputReader;
  /**
   * `owner`: account reads the session itself, and answers some calls without one. `session`: the gateway
   * asks account whose session it is and tells the owner. `signed`: no browser; the owner checks a signature
   * over the bytes as they came.
   */
  access: 'owner' | 'session' | 'signed';
  /** The calls of a session are counted by account, whoever reads it (S102). */
  who: Visitors;
  /** Set where the access is `session`. */
  terms: SessionTerms;
  bodyLimitBytes: number;
  /** Whether the answer is passed on as bytes; otherwise it is JSON. */
  isStream: boolean;
  timeoutMs?: number;
}

/** A processor waits no longer, and asks again (S46). */
const SIGNED_TIMEOUT_MS = 5_000;
const SIGNED_BODY_LIMIT_BYTES = 1024 * 1024;

/**
 * What a browser or a signing machine may ask on the dashboard's origin: the rows of the table that belong
 * there. Anything else is refused, whatever an owner offers (S86).
 */
export function proxiedRoutes(operations: readonly Operation[]): ProxiedRoute[] {
  return operations
    .filter((row) => listenerOf(row) === 'dashboard')
    .flatMap((row) =>
      row.routes.map(({ path }): ProxiedRoute => {
        const { name, answers, body, method, owner, parts } = row;
        const access = accessOf(row);
        const isSigned = access === 'signed';
        return {
          name,
          method,
          path,
          owner,
          parts,
          body,
          reader: new InputReader(row),
          access,
          who: whoOf(row),
          terms: row.access.kind === 'session' && access === 'session' ? termsOf(row.access) : {},
          bodyLimitBytes:
            body?.limitBytes ?? (isSigned ? SIGNED_BODY_LIMIT_BYTES : JSON_BODY_LIMIT_BYTES),
          isStream: answers[0]?.type !== 'application/json',
          timeoutMs: isSigned ? SIGNED_TIMEOUT_MS : undefined,
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
