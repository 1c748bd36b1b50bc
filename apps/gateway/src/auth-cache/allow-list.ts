import type { BlockList } from 'node:net';
import { blockListOf } from '#libs/domain-names';

/**
 * The addresses a key may be used from.
 * @param addresses addresses or CIDR blocks; entries that are neither allow nothing.
 * @returns undefined when every address is allowed.
 */
export function allowListOf(addresses: readonly string[]): BlockList | undefined {
  return addresses.length === 0 ? undefined : blockListOf(addresses);
}
