import { BlockList } from 'node:net';
import { type Cidr, lastAddress } from '#libs/domain-names';

export interface SpecialRange {
  /** The first address or AS number; `end` is the last. */
  start: string;
  end: string;
  purpose: string;
  document: string;
}

/**
 * IANA's special-purpose address registries (RFC 6890), and multicast, except those ranges of AS112 (RFC 7534,
 * RFC 7535) that ARIN has data about. Narrower ranges come first.
 */
const SPECIAL_ADDRESSES: readonly (readonly [range: string, purpose: string, document: string])[] =
  [
    ['255.255.255.255/32', 'Limited broadcast', 'RFC 919'],
    ['192.0.0.0/29', 'IPv4 service continuity prefix', 'RFC 7335'],
    ['192.0.0.9/32', 'Port Control Protocol anycast', 'RFC 7723'],
    ['192.0.0.10/32', 'TURN anycast', 'RFC 8155'],
    ['192.0.0.170/31', 'NAT64 and DNS64 discovery', 'RFC 7050'],
    ['192.0.0.0/24', 'IETF protocol assignments', 'RFC 6890'],
    ['0.0.0.0/8', 'This network', 'RFC 791'],
    ['10.0.0.0/8', 'Private use', 'RFC 1918'],
    ['100.64.0.0/10', 'Shared address space', 'RFC 6598'],
    ['127.0.0.0/8', 'Loopback', 'RFC 1122'],
    ['169.254.0.0/16', 'Link local', 'RFC 3927'],
    ['172.16.0.0/12', 'Private use', 'RFC 1918'],
    ['192.0.2.0/24', 'Documentation', 'RFC 5737'],
    ['192.52.193.0/24', 'Automatic multicast tunnelling', 'RFC 7450'],
    ['192.88.99.0/24', '6to4 relay anycast (deprecated)', 'RFC 7526'],
    ['192.168.0.0/16', 'Private use', 'RFC 1918'],
    ['198.18.0.0/15', 'Benchmarking', 'RFC 2544'],
    ['198.51.100.0/24', 'Documentation', 'RFC 5737'],
    ['203.0.113.0/24', 'Documentation', 'RFC 5737'],
    ['224.0.0.0/4', 'Multicast', 'RFC 5771'],
    ['240.0.0.0/4', 'Reserved', 'RFC 1112'],
    ['::1/128', 'Loopback', 'RFC 4291'],
    ['::/128', 'Unspecified address', 'RFC 4291'],
    ['::ffff:0:0/96', 'IPv4-mapped addresses', 'RFC 4291'],
    ['64:ff9b::/96', 'IPv4-IPv6 translation', 'RFC 6052'],
    ['64:ff9b:1::/48', 'IPv4-IPv6 translation, local use', 'RFC 8215'],
    ['100::/64', 'Discard only', 'RFC 6666'],
    ['100:0:0:1::/64', 'Dummy prefix', 'RFC 9780'],
    ['2001::/32', 'Teredo', 'RFC 4380'],
    ['2001:1::1/128', 'Port Control Protocol anycast', 'RFC 7723'],
    ['2001:1::2/128', 'TURN anycast', 'RFC 8155'],
    ['2001:1::3/128', 'DNS-SD service registration anycast', 'RFC 9665'],
    ['2001:2::/48', 'Benchmarking', 'RFC 5180'],
    ['2001:3::/32', 'Automatic multicast tunnelling', 'RFC 7450'],
    ['2001:4:112::/48', 'AS112', 'RFC 7535'],
    ['2001:20::/28', 'ORCHIDv2', 'RFC 7343'],
    ['2001:30::/28', 'Drone remote identification', 'RFC 9374'],
    ['2001:db8::/32', 'Documentation', 'RFC 3849'],
    ['2001::/23', 'IETF protocol assignments', 'RFC 2928'],
    ['2002::/16', '6to4', 'RFC 3056'],
    ['3fff::/20', 'Documentation', 'RFC 9637'],
    ['5f00::/16', 'Segment routing SIDs', 'RFC 9602'],
    ['fc00::/7', 'Unique local', 'RFC 4193'],
    ['fe80::/10', 'Link local', 'RFC 4291'],
    ['ff00::/8', 'Multicast', 'RFC 4291'],
  ];

const SPECIAL_ASNS: readonly (readonly [first: number, last: number, string, string])[] = [
  [0, 0, 'Reserved', 'RFC 7607'],
  [23_456, 23_456, 'AS_TRANS', 'RFC 6793'],
  [64_496, 64_511, 'Documentation', 'RFC 5398'],
  [64_512, 65_534, 'Private use', 'RFC 6996'],
  [65_535, 65_535, 'Reserved', 'RFC 7300'],
  [65_536, 65_551, 'Documentation', 'RFC 5398'],
  [65_552, 131_071, 'Reserved', 'IANA AS number registry'],
  [4_200_000_000, 4_294_967_294, 'Private use', 'RFC 6996'],
  [4_294_967_295, 4_294_967_295, 'Reserved', 'RFC 7300'],
];

const RANGES = SPECIAL_ADDRESSES.map(([range, purpose, document]) => {
  const [start, prefix] = range.split('/');
  const version = range.includes(':') ? 6 : 4;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  const prefixLength = Number(prefix);
  const list = new BlockList();
  list.addSubnet(start, prefixLength, family);
  const end = lastAddress({ address: start, version, prefixLength });
  return { start, end, purpose, document, family, prefixLength, list };
});

/**
 * Returns the special range that contains a whole block; undefined if none does. No server is queried about a block in
 * a special range.
 */
export function specialRangeOf({ address, version, prefixLength }: Cidr): SpecialRange | undefined {
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return RANGES.find(
    (one) =>
      one.family === family && one.prefixLength <= prefixLength && one.list.check(address, family),
  );
}

/** Returns the special range that contains an AS number; undefined if none does. */
export function specialAsnOf(asn: number): SpecialRange | undefined {
  const found = SPECIAL_ASNS.find(([first, last]) => first <= asn && asn <= last);
  if (found === undefined) return undefined;
  const [first, last, purpose, document] = found;
  return { start: String(first), end: String(last), purpose, document };
}
