import { maskKeys } from '#libs/platform';

const LENGTH_MAX = 1_000;
/** Stands for our own origin while a path is read. */
const HERE = 'http://here.invalid';
const LOG_IN = '/log-in';
/** Browsers take a backslash for a slash, and leave out tabs and line ends. */
const PATH = /^\/(?![/\\])[^\\\s\p{Cc}]*$/u;

/** The page to log in on, which leads back to `path` afterwards. */
export function logInPath(path: string): string {
  const to = wayBack(maskKeys(path));
  return to === '/' ? LOG_IN : `${LOG_IN}?${new URLSearchParams({ to }).toString()}`;
}

/**
 * A path of this origin to go on to, as a form or an address names it. Anything that a browser could read as another
 * origin, and whatever is no page, is `/`: an open redirect would lend our name to strangers.
 */
export function wayBack(given = ''): string {
  if (given.length > LENGTH_MAX || !PATH.test(given)) return '/';
  const url = URL.parse(given, HERE);
  if (url?.origin !== HERE || url.pathname.startsWith('//')) return '/';
  return url.pathname === LOG_IN ? '/' : url.pathname + url.search;
}
