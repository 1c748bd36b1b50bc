/** A name or address with or without a port (RFC 9110 §7.2); no user, no blanks, no percent signs. */
const HOST = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

export function isHost(value: string): boolean {
  return HOST.test(value);
}

/**
 * Whether the headers name exactly one valid host. If they named two, a proxy and this service could choose different
 * ones (RFC 9112 §3.2).
 * @param rawHeaders names and values in turn.
 */
export function hasOneHost(rawHeaders: string[]): boolean {
  let host: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return false;
    host = rawHeaders[i + 1];
  }
  return host !== undefined && isHost(host);
}
