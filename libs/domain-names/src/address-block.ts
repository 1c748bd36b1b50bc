import { BlockList, isIP } from 'node:net';
import { type Cidr, type ParsedCidr, parseCidr } from './cidr.js';
import { parseIpAddress } from './ip-address.js';

/** Reads a CIDR block, or an address as a block of one address. Refuses surrounding text, zones and names. */
export function parseAddressBlock(input: string): ParsedCidr {
  if (input.includes('/')) return parseCidr(input);
  const parsed = parseIpAddress(input);
  if (!parsed.ok) return parseCidr(input);
  const { address, version } = parsed.ip;
  return { ok: true, cidr: { address, version, prefixLength: version === 4 ? 32 : 128 } };
}

/** True for an IPv4 or IPv6 address, or a CIDR block, in its ordinary form and without spaces. */
export function isAddressBlock(value: unknown): value is string {
  return typeof value === 'string' && !value.includes(' ') && parseAddressBlock(value).ok;
}

/**
 * Returns the set of all addresses in the blocks; an IPv4-mapped IPv6 address counts as the IPv4 address. @param blocks
 * addresses or CIDR blocks; other entries match no address.
 */
export function blockListOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const parsed = parseAddressBlock(block);
    if (parsed.ok) add(list, parsed.cidr);
  }
  return list;
}

/**
 * Whether the set contains an address; false for text that is not an address. An IPv4-mapped IPv6 address counts as the
 * IPv4 address.
 */
export function isInBlocks(address: string, list: BlockList): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

function add(list: BlockList, { address, version, prefixLength }: Cidr): void {
  list.addSubnet(address, prefixLength, version === 4 ? 'ipv4' : 'ipv6');
}
