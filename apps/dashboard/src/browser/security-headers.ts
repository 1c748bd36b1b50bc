import { STRICT_TRANSPORT_SECURITY } from '#libs/public-http';

/**
 * The content security policy. Only the dashboard's own scripts, styles and images may be loaded, and no site may show
 * a page in a frame. There is no inline script or style, and no script may write markup from strings (Trusted Types).
 * Forms may be submitted only to the dashboard, so payment pages are opened by links.
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

/** @param origins further origins that scripts of the page may call. */
export const contentSecurityPolicy = (...origins: string[]) =>
  [POLICY, ["connect-src 'self'", ...origins].join(' ')].join('; ');

/** The headers of every answer from the dashboard (S115). */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy(),
  'strict-transport-security': STRICT_TRANSPORT_SECURITY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  // With `no-referrer`, browsers would send `Origin: null` with a form, and every form would be rejected.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'private, no-store',
};
