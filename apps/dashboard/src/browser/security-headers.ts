/**
 * Only our own files may run, load or be framed; no inline script or style, and no script may write markup from strings
 * (Trusted Types). Checkouts are redirects, which `form-action` must follow, so processors are added there once they
 * exist.
 */
const POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self'`,
  `form-action 'self'`,
  `frame-ancestors 'none'`,
  `base-uri 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ');

/** @param origins that scripts of the page may call besides our own. */
export const contentSecurityPolicy = (...origins: string[]) =>
  [POLICY, ["connect-src 'self'", ...origins].join(' ')].join('; ');

/** The headers sent with every answer of the dashboard's origin (S115). */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy(),
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  // `no-referrer` is not possible: browsers would send `Origin: null` with a form, and every form would be rejected.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'private, no-store',
};
