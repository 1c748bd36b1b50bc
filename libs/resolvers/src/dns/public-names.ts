import { isIP } from 'node:net';
import { blockListOf, isAddressBlock } from '#libs/domain-names';
import { isBlockedAddress } from '../safe-connect/blocked-addresses.js';

/**
 * Names below delegated top-level domains that local resolvers answer themselves (RFC 6303, 6761, 8375, 9462, 9665),
 * including the reverse zones of private addresses.
 */
const LOCAL_ZONES = [
  'home.arpa',
  'resolver.arpa',
  'service.arpa',
  'ipv4only.arpa',
  '0.in-addr.arpa',
  '10.in-addr.arpa',
  '127.in-addr.arpa',
  '254.169.in-addr.arpa',
  '168.192.in-addr.arpa',
  ...range(16, 31).map((octet) => `${octet}.172.in-addr.arpa`),
  ...range(64, 127).map((octet) => `${octet}.100.in-addr.arpa`),
  'd.f.ip6.arpa',
  'c.f.ip6.arpa',
  ...['8', '9', 'a', 'b'].map((digit) => `${digit}.e.f.ip6.arpa`),
];

/** Addresses reserved for documentation (RFC 5737, 3849, 9637), which belong to no network. */
const DOCUMENTATION = blockListOf([
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '2001:db8::/32',
  '3fff::/20',
]);

export interface PublicNamesOptions {
  /** The delegated top-level domains, in A-labels. */
  tlds: readonly string[];
  /** Suffixes and CIDR blocks for which queries are answered although they are not public. */
  allowed?: readonly string[];
  /** The operator's own suffixes, for which queries are not answered. */
  refused?: readonly string[];
}

/** Distinguishes the public DNS from names of the resolver's own network. */
export class PublicNames {
  private readonly tlds: ReadonlySet<string>;
  private readonly allowedSuffixes: readonly string[];
  private readonly allowedBlocks: ReturnType<typeof blockListOf>;
  private readonly refused: readonly string[];

  constructor({ tlds, allowed = [], refused = [] }: PublicNamesOptions) {
    this.tlds = new Set(tlds);
    this.allowedBlocks = blockListOf(allowed.filter(isAddressBlock));
    this.allowedSuffixes = allowed.filter((one) => !isAddressBlock(one)).map(suffixOf);
    this.refused = [...LOCAL_ZONES, ...refused.map(suffixOf)];
  }

  /**
   * True if the name may be queried: it is under an allowed suffix, or under a delegated top-level domain and no
   * refused suffix.
   * @param name in lower case, without the final dot.
   */
  isPublic(name: string): boolean {
    if (this.allowedSuffixes.some((suffix) => isUnder(name, suffix))) return true;
    if (this.refused.some((suffix) => isUnder(name, suffix))) return false;
    const dot = name.lastIndexOf('.');
    return dot > 0 && this.tlds.has(name.slice(dot + 1));
  }

  /**
   * True for an address that must be omitted from an answer: one that is not public, unless it is allowed or reserved
   * for documentation.
   */
  isHidden(address: string): boolean {
    const version = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    return (
      isBlockedAddress(address) &&
      !DOCUMENTATION.check(address, version) &&
      !this.allowedBlocks.check(address, version)
    );
  }
}

const suffixOf = (text: string) => text.toLowerCase().replace(/^\.|\.$/g, '');

const isUnder = (name: string, suffix: string) => name === suffix || name.endsWith(`.${suffix}`);

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, step) => first + step);
}
