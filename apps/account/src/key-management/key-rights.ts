import { KEYS_SCOPE } from '#libs/contracts';
import { blockListOf, isInBlocks, lastAddress, parseAddressBlock } from '#libs/domain-names';
import type { KeySettings } from '../keys/key-changes.service.js';

/** What a key may do. A daily cap is not compared, because two capped keys may spend twice as much as one. */
export type KeyRights = Pick<KeySettings, 'scopes' | 'allowedAddresses' | 'expiresAt'>;

/**
 * Returns why a key with the rights `wanted` could do more than a key with the rights `own`, as the end of a sentence;
 * undefined if it could not.
 */
export function excessOf(own: KeyRights, wanted: KeyRights): string | undefined {
  const further = wanted.scopes.filter((scope) => !own.scopes.includes(scope));
  if (further.length > 0) return `it lacks the scopes ${further.join(', ')}`;
  if (!isWithin(own.allowedAddresses, wanted.allowedAddresses)) {
    return `it is allowed only from ${own.allowedAddresses.join(', ')}`;
  }
  const isLonger = own.expiresAt && (!wanted.expiresAt || wanted.expiresAt > own.expiresAt);
  return isLonger ? `it expires at ${own.expiresAt!.toISOString()}` : undefined;
}

/** Returns the scopes that a key may give to a key that it creates. */
export const givenScopes = ({ scopes }: Pick<KeyRights, 'scopes'>) =>
  scopes.filter((scope) => scope !== KEYS_SCOPE);

/** Whether each of the wanted blocks is part of one of the own blocks; an empty list allows every address. */
function isWithin(own: readonly string[], wanted: readonly string[]): boolean {
  if (own.length === 0) return true;
  const lists = own.map((block) => blockListOf([block]));
  const isPart = (block: string) => {
    const parsed = parseAddressBlock(block);
    if (!parsed.ok) return false;
    const { address } = parsed.cidr;
    const last = lastAddress(parsed.cidr);
    return lists.some((list) => isInBlocks(address, list) && isInBlocks(last, list));
  };
  return wanted.length > 0 && wanted.every(isPart);
}
