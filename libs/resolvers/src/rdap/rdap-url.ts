import { toALabels } from '#libs/domain-names';
import { isHostName } from '../safe-connect/host-name.js';

/**
 * Parses a URL that this library may query: https on port 443 of a named host, without credentials (RFC 7480 §4.1, RFC
 * 7481 §3.5). Used for untrusted links and redirects.
 *
 * @param base the URL to which a relative URL refers.
 * @returns undefined for any other text.
 */
export function rdapUrl(text: string, base?: URL): URL | undefined {
  if (text.length > 2048) return undefined;
  const url = URL.parse(text, base?.href);
  if (url === null || url.protocol !== 'https:' || url.port !== '') return undefined;
  if (url.username !== '' || url.password !== '' || !isHostName(url.hostname)) return undefined;
  url.hash = '';
  return url;
}

/**
 * Returns the name in a domain query (RFC 9082 §3.1.3) in lower-case A-labels, however the URL encodes the name;
 * undefined for other URLs.
 */
export function domainQueried({ pathname }: URL): string | undefined {
  return nameBehind(/\/domain\/([^/]+)\/?$/i, pathname);
}

/**
 * Returns the name to which a link refers: in the path, as in a domain query, or in a parameter, as on other lookup
 * pages; undefined if it refers to no name.
 */
export function nameInLink({ pathname, searchParams }: URL): string | undefined {
  const inPath = nameBehind(/\/domain\/([^/]+)/i, pathname);
  return inPath ?? [...searchParams.values()].map(aLabels).find(isDomainName);
}

function nameBehind(path: RegExp, pathname: string): string | undefined {
  const name = path.exec(pathname)?.[1];
  return name === undefined ? undefined : aLabels(unescaped(name));
}

const aLabels = (name: string): string => toALabels(name.replace(/\.$/, '')) || name.toLowerCase();

/** True if a string is a name, and not a number such as `2.1`, which also has a dot. */
const isDomainName = (text: string): boolean => isHostName(text) && /\.[a-z][\w-]+$/.test(text);

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
