import { BlockList, isIP } from 'node:net';

/**
 * The addresses a key may be used from.
 * @param addresses addresses or CIDR blocks; entries that are neither allow nothing.
 * @returns undefined when every address is allowed.
 */
export function allowListOf(addresses: readonly string[]): BlockList | undefined {
  if (addresses.length === 0) return undefined;
  const list = new BlockList();
  for (const entry of addresses) addTo(list, entry);
  return list;
}

/** The same for the proxies whose `X-Forwarded-For` is believed. */
export function addressListOf(addresses: readonly string[]): BlockList {
  return allowListOf(addresses) ?? new BlockList();
}

/** False for what is no address. An IPv4 address mapped into IPv6 counts as the IPv4 address. */
export function contains(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

function addTo(list: BlockList, entry: string): void {
  const [address, prefix] = entry.split('/');
  const family = isIP(address);
  if (family === 0) return;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const bits = prefix === undefined ? undefined : Number(prefix);
  if (bits === undefined) list.addAddress(address, type);
  else if (Number.isInteger(bits) && bits >= 0 && bits <= (family === 4 ? 32 : 128)) {
    list.addSubnet(address, bits, type);
  }
}
