/**
 * True for a possible public host name: lower-case letters, digits and hyphens, and at least two labels. The last label
 * must not be a number in any base, because resolvers would interpret it as an address (RFC 1123 §2.1, RFC 3696 §2).
 */
export function isHostName(host: string): boolean {
  if (host.length > 253) return false;
  const labels = host.split('.');
  const last = labels.at(-1) ?? '';
  const shaped = labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  return labels.length > 1 && shaped && !/^(\d+|0x[0-9a-f]*)$/.test(last);
}
