import type { BlockList } from 'node:net';
import { blockListOf } from '#libs/domain-names';

/**
 * Returns the addresses from which a key may be used. @param addresses addresses or CIDR blocks; invalid entries match
 * nothing. @returns undefined if every address is allowed.
 */
export function allowListOf(addresses: readonly string[]): BlockList | undefined {
  return addresses.length === 0 ? undefined : blockListOf(addresses);
}
