const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;

/**
 * True for one e-mail address as people write it: dot-atom, at sign, domain name (RFC 5321 §4.1.2). Refuses a quoted
 * local part, an address literal, a display name or a list, and characters outside ASCII: international domains must be
 * A-labels.
 */
export function isMailAddress(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 254) return false;
  const at = value.lastIndexOf('@');
  const [local, domain] = [value.slice(0, at), value.slice(at + 1)];
  return at > 0 && at <= 64 && LOCAL.test(local) && DOMAIN.test(domain);
}
