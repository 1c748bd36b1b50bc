import { isHostName } from '../safe-connect/host-name.js';

/**
 * The URL, if this library may query it: https on port 443 of a named host, without credentials (RFC 7480 §4.1, RFC
 * 7481 §3.5). Used for untrusted links and redirects.
 *
 * @param base the URL to which a relative one refers.
 */
export function rdapUrl(text: string, base?: URL): URL | undefined {
  if (text.length > 2048) return undefined;
  const url = URL.parse(text, base?.href);
  if (url === null || url.protocol !== 'https:' || url.port !== '') return undefined;
  if (url.username !== '' || url.password !== '' || !isHostName(url.hostname)) return undefined;
  url.hash = '';
  return url;
}
