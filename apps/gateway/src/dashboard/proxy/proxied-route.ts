import type { Operation, OwnerService, UsableState } from '#libs/contracts';
import { JSON_BODY_LIMIT_BYTES } from '#libs/platform';
import type { Method } from './service-proxy.js';

/** One call of the dashboard's origin that another service answers. */
export interface ProxiedRoute {
  method: Method;
  /** Public path; parameters in braces. */
  path: string;
  owner: { service: OwnerService; path: string };
  /**
   * `account`: account reads the session itself, and answers some calls without one. `session`: the gateway
   * asks account whose session it is and tells the owner. `signed`: no browser; the owner checks a signature
   * over the bytes as they came.
   */
  access: 'account' | 'session' | 'signed';
  /** Of accounts that may call it; only active ones by default. */
  accountStates?: readonly UsableState[];
  bodyLimitBytes: number;
  /** Whether the answer goes on as bytes; else it is JSON. */
  isStream: boolean;
  timeoutMs?: number;
}

/** A processor waits no longer, and asks again (S46). */
const SIGNED_TIMEOUT_MS = 5_000;
const SIGNED_BODY_LIMIT_BYTES = 1024 * 1024;

const CALLS_OF_ACCOUNT: readonly (readonly [Method, string])[] = [
  ['POST', '/sign-up'],
  ['POST', '/sign-up/confirm'],
  ['POST', '/log-in'],
  ['POST', '/log-out'],
  ['POST', '/password/forgot'],
  ['POST', '/password/reset'],
  ['POST', '/password/change'],
  ['GET', '/session'],
  ['POST', '/session/reauthenticate'],
  ['GET', '/sessions'],
  ['DELETE', '/sessions/{id}'],
  ['GET', '/account'],
  ['PATCH', '/account'],
  ['POST', '/account/delete'],
  ['POST', '/account/restore'],
  ['GET', '/billing-details'],
  ['PUT', '/billing-details'],
  ['GET', '/keys'],
  ['POST', '/keys'],
  ['PATCH', '/keys/{id}'],
  ['DELETE', '/keys/{id}'],
  ['POST', '/keys/{id}/rotate'],
  ['POST', '/keys/{id}/reissue'],
];

/** What a browser may ask of account. Anything else is refused here, whatever account offers (S86). */
export const ACCOUNT_ROUTES: readonly ProxiedRoute[] = CALLS_OF_ACCOUNT.map(([method, path]) => ({
  method,
  path: `/api${path}`,
  owner: { service: 'account', path: `/internal/dashboard${path}` },
  access: 'account',
  bodyLimitBytes: JSON_BODY_LIMIT_BYTES,
  isStream: false,
}));

/**
 * The routes of the rows whose access is a session or a signature; the others belong to the API's listener.
 * @throws for a row whose rules the gateway cannot keep.
 */
export function proxiedRoutes(operations: readonly Operation[]): ProxiedRoute[] {
  return operations.flatMap((row) => {
    const { access, answers, body, method, name, owner } = row;
    if (access.kind !== 'session' && access.kind !== 'signed') return [];
    const isSigned = access.kind === 'signed';
    if (!isSigned && access.needsReauthentication && owner.service !== 'account')
      throw new Error(`${name}: only account's own calls can ask for the password again`);
    return row.routes.map(({ path }): ProxiedRoute => ({
      method,
      path,
      owner,
      access: isSigned ? 'signed' : owner.service === 'account' ? 'account' : 'session',
      accountStates: isSigned ? undefined : access.accountStates,
      bodyLimitBytes:
        body?.limitBytes ?? (isSigned ? SIGNED_BODY_LIMIT_BYTES : JSON_BODY_LIMIT_BYTES),
      isStream: answers[0]?.type !== 'application/json',
      timeoutMs: isSigned ? SIGNED_TIMEOUT_MS : undefined,
    }));
  });
}

/** The owner's path with the values of the public one, each as one segment, and the query as it came. */
export function ownerPath(
  { owner }: ProxiedRoute,
  parameters: Readonly<Record<string, string>>,
  query: string,
): string {
  const path = owner.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  );
  return path + query;
}
