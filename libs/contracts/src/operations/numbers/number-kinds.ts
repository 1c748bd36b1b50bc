import {
  type Cidr,
  type IpAddress,
  blockListOf,
  parseAddressBlock,
  parseAsn,
  parseIpAddress,
} from '#libs/domain-names';
import type { ParameterKind } from '../parameter.js';

/** Addresses and AS numbers for documentation (RFC 5737, 3849, 9637 and 5398), which only test keys may use. */
const DOCUMENTATION_IPV4 = blockListOf(['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24']);
const DOCUMENTATION_IPV6 = blockListOf(['2001:db8::/32', '3fff::/20']);
const DOCUMENTATION_ASNS = [
  [64_496, 64_511],
  [65_536, 65_551],
] as const;

const FIXTURE_BLOCKS: readonly string[] = [
  '192.0.2.1/32',
  '2001:db8::1/128',
  '198.51.100.0/24',
  '203.0.113.1/32',
];
const FIXTURE_ADDRESSES: readonly string[] = ['192.0.2.1'];
const FIXTURE_ASNS: readonly number[] = [64_496, 64_511, 65_551];

const LENGTH_MAX = 64;

/** Reads an IPv4 or IPv6 address in standard notation, or a CIDR block. */
export function addressBlock(): ParameterKind<Cidr> {
  return {
    schema: { type: 'string', minLength: 2, maxLength: LENGTH_MAX },
    clean: (text) => text.trim(),
    fault: (text) => {
      if (text === '') return 'is required';
      const isBlock = text.length <= LENGTH_MAX && parseAddressBlock(text).ok;
      return isBlock ? undefined : 'must be an IPv4 or IPv6 address, or a block such as 8.8.8.0/24';
    },
    value: blockOf,
    isReserved: (text) => isDocumentation(blockOf(text)),
    isFixture: (text) => {
      const { address, prefixLength } = blockOf(text);
      return FIXTURE_BLOCKS.includes(`${address}/${prefixLength}`);
    },
  };
}

/** Reads one IPv4 or IPv6 address in standard notation. */
export function ipAddress(): ParameterKind<IpAddress> {
  return {
    schema: { type: 'string', minLength: 2, maxLength: LENGTH_MAX },
    clean: (text) => text.trim(),
    fault: (text) => {
      const isAddress = text.length <= LENGTH_MAX && parseIpAddress(text).ok;
      return isAddress ? undefined : 'must be an IPv4 or IPv6 address';
    },
    value: addressOf,
    isReserved: (text) => isDocumentation(addressOf(text)),
    isFixture: (text) => FIXTURE_ADDRESSES.includes(addressOf(text).address),
  };
}

function isDocumentation({ address, version }: IpAddress): boolean {
  return version === 4
    ? DOCUMENTATION_IPV4.check(address, 'ipv4')
    : DOCUMENTATION_IPV6.check(address, 'ipv6');
}

/** Reads an AS number, with or without `AS` before it. */
export function asNumber(): ParameterKind<number> {
  return {
    schema: { type: 'string', pattern: '^([Aa][Ss])?(0|[1-9][0-9]{0,9})$' },
    clean: (text) => text.trim(),
    fault: (text) => {
      if (text === '') return 'is required';
      return parseAsn(text).ok ? undefined : 'must be an AS number such as AS15169 or 15169';
    },
    value: asnOf,
    write: (text) => String(asnOf(text)),
    isFixture: (text) => FIXTURE_ASNS.includes(asnOf(text)),
    isReserved: (text) => {
      const asn = asnOf(text);
      return DOCUMENTATION_ASNS.some(([first, last]) => first <= asn && asn <= last);
    },
  };
}

function blockOf(text: string): Cidr {
  const parsed = parseAddressBlock(text);
  if (!parsed.ok) throw new RangeError('not an address block');
  return parsed.cidr;
}

function addressOf(text: string): IpAddress {
  const parsed = parseIpAddress(text);
  if (!parsed.ok) throw new RangeError('not an address');
  return parsed.ip;
}

function asnOf(text: string): number {
  const parsed = parseAsn(text);
  if (!parsed.ok) throw new RangeError('not an AS number');
  return parsed.asn;
}
