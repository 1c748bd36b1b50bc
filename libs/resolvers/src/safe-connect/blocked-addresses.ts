import { isIPv4, isIPv6 } from 'node:net';
import { blockListOf } from '#libs/domain-names';

/**
 * Addresses to which no untrusted name may lead: all those that the IANA special-purpose registries (RFC 6890, as of
 * 2026) list as not globally reachable, multicast, and IPv6 ranges that contain an IPv4 address, which could be a
 * private one.
 */
const BLOCKED_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

const BLOCKED_IPV6 = [
  // Only 2000::/3 is allocated; the rest contains loopback, mapped, NAT64, ULA, link-local and multicast addresses.
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
];

// There are two lists, because one list would match an IPv4 address against IPv6 ranges as `::ffff:a.b.c.d`.
const IPV4_LIST = blockListOf(BLOCKED_IPV4);
const IPV6_LIST = blockListOf(BLOCKED_IPV6);

/** True for every address that is not an ordinary public one, and for text that is not an address. */
export function isBlockedAddress(address: string): boolean {
  if (isIPv4(address)) return IPV4_LIST.check(address, 'ipv4');
  // An address with a zone (`fe80::1%eth0`) would not match the list.
  if (isIPv6(address) && !address.includes('%')) return IPV6_LIST.check(address, 'ipv6');
  return true;
}
