import { isIP, isIPv6 } from 'node:net';

/** Matches an address with a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:([0-9.]+)|\[([0-9a-f:.]+)\])(?::[0-9]{1,5})?$/i;

/**
 * Returns the address in an entry of `X-Forwarded-For`, to which some proxies add the client's port; undefined for any
 * other text. With the port, each connection of one visitor would count as another visitor.
 */
export function forwardedAddress(entry: string): string | undefined {
  const [, ipv4, ipv6] = WITH_PORT.exec(entry) ?? [];
  const address = ipv4 ?? ipv6 ?? entry;
  return isIP(address) === 0 ? undefined : address;
}

/** The number of bits between two colons of an IPv6 address. */
const GROUP_BITS = 16;

/**
 * Returns the unit that counts as one visitor: an IPv4 address, or the network of an IPv6 address. One customer has a
 * /64, one site a /48 (RFC 6177). Text that is not an address also counts as one visitor.
 */
export function networkOf(address: string, prefixLength: 48 | 64 = 64): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address);
  if (mapped) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head, tail] = address.split('%')[0].split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const missing = tail === undefined ? 0 : 8 - groups.length - after.length;
  const all = [...groups, ...Array<string>(Math.max(missing, 0)).fill('0'), ...after];
  return `${all
    .slice(0, prefixLength / GROUP_BITS)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/${prefixLength}`;
}

/**
 * Returns the /48 of an IPv6 address, whose owner controls all of its networks (RFC 6177); otherwise the same as
 * `networkOf`.
 */
export const siteOf = (address: string): string => networkOf(address, 48);

/** Where visitors are limited, a site may do this many times as much as one of its networks. */
export const SITE_FACTOR = 4;
