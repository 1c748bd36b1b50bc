import { maskKeys } from '#libs/platform';

const LENGTH_MAX = 1_000;
/** Replaces our own origin while a path is parsed. */
const HERE = 'http://here.invalid';
const LOG_IN = '/log-in';
/** Browsers treat a backslash as a slash, and ignore tabs and line endings. */
const PATH = /^\/(?![/\\])[^\\\s\p{Cc}]*$/u;

/** The log-in page that leads back to `path` afterwards. */
export function logInPath(path: string): string {
  const to = wayBack(maskKeys(path));
  return to === '/' ? LOG_IN : `${LOG_IN}?${new URLSearchParams({ to }).toString()}`;
}

/**
 * A path of this origin to open next, as given by a form or an address. Everything that a browser could interpret as
 * another origin, or that is not a page, becomes `/`. With an open redirect, strangers could use our name.
 */
export function wayBack(given = ''): string {
  if (given.length > LENGTH_MAX || !PATH.test(given)) return '/';
  const url = URL.parse(given, HERE);
  if (url?.origin !== HERE || url.pathname.startsWith('//')) return '/';
  return url.pathname === LOG_IN ? '/' : url.pathname + url.search;
}
