import type { ProblemDescription } from '#libs/platform';

/** The classes of requests. Requests are counted per account and class, and each class has its own limit. */
export const RATE_CLASSES = ['live', 'bulk', 'heavy', 'account'] as const;
export type RateClass = (typeof RATE_CLASSES)[number];

/** Requests per minute in the class `account` (keys, usage, job polling); the same for every plan. */
export const ACCOUNT_CLASS_LIMIT = 60;

/** Requests per minute from one client address to operations that need no key. */
export const PUBLIC_LIMIT = 60;

/** The scopes of a key. Their order gives each one its bit in the gateway, so new scopes are appended. */
export const SCOPES = [
  'whois',
  'ip',
  'asn',
  'dns',
  'availability',
  'bulk',
  'jobs',
  'monitors',
  'files',
  'webhooks',
  'account:read',
  'history',
  'reverse',
  'subdomains',
  'typos',
  'reputation',
  'keys:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The scope that manages keys. Only the dashboard gives it to a key, and only if the owner selects it. */
export const KEYS_SCOPE = 'keys:write' satisfies Scope;

/** The scopes of a new key whose owner selects none. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== KEYS_SCOPE);

/**
 * The states of accounts that a call may accept. Some calls accept a deleted account, because it can still be restored.
 */
export type UsableState = 'active' | 'deleted';

/**
 * The callers that an operation allows. Every HTTP call of the product declares them (S86).
 *
 * - `key`: an API key with the scope, on the API's listener, counted in its class.
 * - `session`: a browser's session, on the dashboard's listener.
 * - `public`: anyone. The API's listener allows 60 requests per minute and address; on the dashboard's listener, the
 *   owner of the operation sets the limit.
 * - `signed`: a sender, such as a payment processor, that signs the raw bytes of the body in one of these headers
 *   (lower-case names). Without any of these headers, the body is not read (S125).
 */
export type Access =
  | {
      kind: 'key';
      scope: Scope;
      class: RateClass;
      /** Set if the operation changes something or reads files: a test key gets 403. */
      isForLiveKeys?: boolean;
      /** Set if the dashboard's origin offers the same call to sessions (`atDashboard`). */
      isAtDashboard?: boolean;
      /**
       * Set if the operation manages keys: the calling key must be in a header, because URLs are stored in many places,
       * and the owner gets the client's address and program for its audit log.
       */
      managesKeys?: boolean;
    }
  | {
      kind: 'session';
      /** Whether the person must have logged in or entered the password within the last 10 minutes (S35). */
      needsReauthentication?: boolean;
      /**
       * Whether the call counts towards the account's limit of 300 recorded changes per hour. Calls that revoke access
       * do not count.
       */
      isPaced?: boolean;
      /** The account's states in which the call is allowed; by default, only `active`. */
      accountStates?: readonly UsableState[];
    }
  | { kind: 'public'; listener?: 'dashboard' }
  | SignedAccess;

export interface SignedAccess {
  kind: 'signed';
  headers: readonly string[];
  /** The rejection of a call without any of these headers. */
  unsigned: ProblemDescription;
}

/** Returns the access of live keys on the API's listener and of sessions on the dashboard's. */
export function byLiveKey(scope: Scope, rate: RateClass) {
  return { kind: 'key', scope, class: rate, isForLiveKeys: true, isAtDashboard: true } as const;
}

/** The origin on which an operation is offered: the API's or the dashboard's. */
export type PublicListener = 'api' | 'dashboard';

export function listenerOf({ access }: { access: Access }): PublicListener {
  if (access.kind === 'public') return access.listener ?? 'api';
  return access.kind === 'key' ? 'api' : 'dashboard';
}
