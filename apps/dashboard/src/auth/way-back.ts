import { maskKeys } from '#libs/platform';

const LENGTH_MAX = 1_000;
/** Stands for the dashboard's own origin while a path is parsed. */
const HERE = 'http://here.invalid';
const LOG_IN = '/log-in';
/**
 * The paths that browsers cannot mistake for another origin. Browsers treat a backslash as a slash, and ignore tabs and
 * line endings.
 */
const PATH = /^\/(?![/\\])[^\\\s\p{Cc}]*$/u;

/** Returns the path of the log-in page, which leads to `path` afterwards. Keys in `path` are masked. */
export function logInPath(path: string): string {
  const to = wayBack(maskKeys(path));
  return to === '/' ? LOG_IN : `${LOG_IN}?${new URLSearchParams({ to }).toString()}`;
}

/**
 * Returns the path to open next, as requested by a form or a URL. Everything that a browser could take for another
 * origin becomes `/`, because strangers could otherwise redirect visitors in our name. The log-in page, and texts of
 * more than 1,000 characters, also become `/`.
 */
export function wayBack(given = ''): string {
  if (given.length > LENGTH_MAX || !PATH.test(given)) return '/';
  const url = URL.parse(given, HERE);
  if (url?.origin !== HERE || url.pathname.startsWith('//')) return '/';
  return url.pathname === LOG_IN ? '/' : url.pathname + url.search;
}
