/**
 * The cookie of a session. The prefix `__Host-` binds a cookie to this origin: Secure, path `/`, no
 * domain (RFC 6265bis §4.1.3.2).
 */
export const SESSION_COOKIE = '__Host-session';
export const STEP_COOKIE = '__Host-step';
/**
 * Marks a browser that has logged in before: it is not delayed while someone else guesses passwords. This cookie grants
 * no access.
 */
export const DEVICE_COOKIE = '__Host-device';
export const CSRF_COOKIE = '__Host-csrf';

/** Maximum lifetime of a session in seconds (30 days). The account service ends an idle session earlier. */
const SESSION_MAX_AGE_SECONDS = 30 * 24 * 3600;
/** The maximum time for which the account service keeps an unfinished log-in. */
const STEP_MAX_AGE_SECONDS = 600;
const DEVICE_MAX_AGE_SECONDS = 365 * 24 * 3600;
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

export function sessionCookie(token: string): string {
  return `${SESSION_COOKIE}=${token}; Max-Age=${SESSION_MAX_AGE_SECONDS}; ${ATTRIBUTES}`;
}

export function deviceCookie(token: string): string {
  return `${DEVICE_COOKIE}=${token}; Max-Age=${DEVICE_MAX_AGE_SECONDS}; ${ATTRIBUTES}`;
}

export function stepCookie(token: string): string {
  return `${STEP_COOKIE}=${token}; Max-Age=${STEP_MAX_AGE_SECONDS}; ${ATTRIBUTES}`;
}

export function endedStepCookie(): string {
  return `${STEP_COOKIE}=; Max-Age=0; ${ATTRIBUTES}`;
}

export function endedSessionCookie(): string {
  return `${SESSION_COOKIE}=; Max-Age=0; ${ATTRIBUTES}`;
}

/**
 * Returns the cookie with the token, which lasts until the browser is closed. Scripts read the token from the page,
 * never from the cookie.
 */
export function csrfCookie(token: string): string {
  return `${CSRF_COOKIE}=${token}; ${ATTRIBUTES}`;
}

const TOKEN = /^[A-Za-z0-9_-]{20,200}$/;
/**
 * For each cookie, a pattern that finds it in the header. Splitting the header into pairs would cost as much as many
 * requests, because a stranger may send thousands of empty pairs (S104).
 */
const PAIRS = new Map(
  [SESSION_COOKIE, STEP_COOKIE, DEVICE_COOKIE, CSRF_COOKIE].map((name) => [
    name,
    new RegExp(`(?:^|;)\\s*${name}=([^;]*)`, 'g'),
  ]),
);

/** Returns the value of one of the dashboard's cookies; undefined if it is missing, sent twice or not a token. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = [...(header ?? '').matchAll(PAIRS.get(name)!)].map(([, value]) => value.trim());
  return values.length === 1 && TOKEN.test(values[0]) ? values[0] : undefined;
}
