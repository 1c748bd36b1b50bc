import { type BlockList, isIP } from 'node:net';
import { blockListOf } from '#libs/domain-names';

/**
 * The addresses a key may be used from.
 * @param addresses addresses or CIDR blocks; entries that are neither allow nothing.
 * @returns undefined when every address is allowed.
 */
export function allowListOf(addresses: readonly string[]): BlockList | undefined {
  return addresses.length === 0 ? undefined : blockListOf(addresses);
}

/** False for text that is not an address. An IPv4 address mapped into IPv6 counts as the IPv4 address. */
export function contains(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
